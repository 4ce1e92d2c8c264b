// Search, sorting, filters, folding, light and dark, and pictures to look into. Nothing is asked of
// the network: what a page needs lies beside it, and is read when somebody asks.
"use strict";
const report = (() => {
  const up = document.documentElement.dataset.up;
  const waiting = {};
  const asked = {};
  const make = (tag, attributes = {}, ...children) => {
    const one = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
    one.append(...children);
    return one;
  };
  const script = (path, name) => asked[name] ??= new Promise((resolve, reject) => {
    waiting[name] = resolve;
    const one = make("script", { src: up + path });
    one.onerror = () => { delete asked[name]; reject(new Error(`${path} is not there`)); };
    document.head.append(one);
  });
  const UNFIT = [0, 10, 13, 34, 38, 92];
  const unpacked = (text) => {
    // letters of seven bits; of two bytes where one that cannot stand there comes first, or last alone
    const bytes = new Uint8Array(2 * text.length);
    let [held, bits, end] = [0, 0, 0];
    const seven = (letter) => {
      held = (held << 7 | letter) & 0x3fff;
      bits += 7;
      if (bits >= 8) { bits -= 8; bytes[end] = held >> bits; end += 1; }
    };
    for (let k = 0; k < text.length; k += 1) {
      const code = text.charCodeAt(k);
      const which = code >> 7;
      if (which) seven(UNFIT[(which - 2) % 6]);
      if (which < 8) seven(code & 127);
    }
    return new Response(new Blob([bytes.subarray(0, end)]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  const given = (name) => (text) => waiting[name]?.(unpacked(text));
  const button = (label, action, attributes = {}) => {
    const one = make("button", { type: "button", ...attributes }, label);
    one.addEventListener("click", action);
    return one;
  };

  // light and dark
  const dark = () => (document.documentElement.dataset.theme ??
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const kept = (value) => {
    try { return value === undefined ? localStorage.getItem("theme") : localStorage.setItem("theme", value); }
    catch { return null; }
  };
  if (kept()) document.documentElement.dataset.theme = kept();
  const drawn = new Set();
  const switched = () => { for (const draw of drawn) draw(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", switched);

  // search
  const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}.]+/gu, " ").trim();
  const MAIN = ["page", "method", "form", "question", "result", "problem", "operator", "topology"]; // the others are parts of pages
  const ranked = (entries, asked) => {
    const words = asked.split(" ");
    const inside = words.map((word) => new RegExp(`(^| )${word.replace(/\./g, "\\.")}`));
    const scored = [];
    for (const one of entries) {
      if (!words.every((word) => one.all.includes(word))) continue;
      const place = MAIN.indexOf(one.kind);
      const whole = one.head === asked ? 60 : !place && ` ${one.all} `.includes(` ${asked} `) ? 40 : one.head.startsWith(`${asked} `) ? 30 : ` ${one.head} `.includes(` ${asked} `) ? 22 : one.head.startsWith(asked) ? 20 : 0;
      const begun = inside.filter((word) => word.test(one.head)).length / words.length;
      const told = inside.filter((word) => word.test(one.all)).length / words.length;
      const score = whole + 12 * begun + (place ? 4 : 14) * told + (place < 0 ? 0 : 18 - place) - one.head.length / 40;
      scored.push({ ...one, score });
    }
    scored.sort((a, b) => b.score - a.score || a.title.localeCompare(b.title));
    const seen = new Set(); // of the parts of a page the best stands for all
    return scored.filter(({ kind, link }) => {
      const page = link.split("#")[0];
      if (MAIN.includes(kind)) { seen.add(page); return true; }
      return !seen.has(page) && seen.add(page);
    });
  };
  const nearest = (entries, asked) => {
    const pairs = (text) => new Set([...` ${text} `].slice(0, -1).map((letter, k) => letter + ` ${text} `[k + 1]));
    const mine = pairs(asked);
    const alike = ({ head }) => {
      const theirs = pairs(head);
      return 2 * [...mine].filter((pair) => theirs.has(pair)).length / (mine.size + theirs.size);
    };
    const main = entries.filter(({ kind }) => MAIN.includes(kind)).map((one) => ({ ...one, score: alike(one) }));
    return main.sort((a, b) => b.score - a.score).filter(({ score }) => score > 0.3).slice(0, 5);
  };
  const searching = (form) => {
    const field = form.querySelector("input");
    const found = form.querySelector("[role=status]");
    const list = form.querySelector("ul");
    let entries = [];
    const show = () => {
      const asked = plain(field.value);
      list.replaceChildren();
      list.hidden = !asked;
      found.textContent = "";
      if (!asked || !entries.length) return;
      const scored = ranked(entries, asked);
      found.textContent = scored.length ? `${scored.length} found` : "0 found; nearest:";
      for (const { title, kind, link } of scored.length ? scored.slice(0, 40) : nearest(entries, asked)) {
        list.append(make("li", {}, make("a", { href: up + link }, title), make("span", { class: "soft" }, ` ${kind}`)));
      }
    };
    const begin = () => script("assets/search.js", "search").then((text) => {
      entries = JSON.parse(text).map(([title, kind, link, text]) => ({ title, kind, link, head: plain(title), all: plain(`${title} ${kind} ${text}`) }));
      show();
    });
    field.addEventListener("focus", begin, { once: true });
    field.addEventListener("input", () => { begin().then(show); });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      list.querySelector("a")?.click();
    });
    form.addEventListener("keydown", (event) => {
      const links = [field, ...list.querySelectorAll("a")];
      const at = links.indexOf(document.activeElement);
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") { field.value = ""; show(); field.focus(); }
      if (step && at + step >= 0 && at + step < links.length) { event.preventDefault(); links[at + step].focus(); }
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(document.activeElement.tagName)) { event.preventDefault(); field.focus(); }
    });
  };

  // tables
  const LONG = 12; // lines of a table that are shown before somebody asks for all
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell ? (cell.dataset.value ?? cell.textContent.trim()) : "";
  };
  const compare = (a, b) => {
    const [x, y] = [a, b].map((text) => parseFloat(text.replace("−", "-")));
    const numbers = [x, y].map((one, k) => !Number.isNaN(one) && /^[-−+]?[\d.]/.test([a, b][k]));
    return numbers[0] && numbers[1] ? x - y : numbers[0] ? -1 : numbers[1] ? 1 : a.localeCompare(b);
  };
  const sortable = (table) => {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const total = rows.length + Number(body.dataset.lines ?? 0);
    const first = body.dataset.packed ? rows.length : LONG;
    let read = null; // lines that the page holds packed
    const then = (action) => {
      if (!body.dataset.packed) { action(); return; }
      read ??= unpacked(body.dataset.packed).then((text) => {
        const held = make("template");
        held.innerHTML = text;
        const further = [...held.content.children];
        delete body.dataset.packed;
        body.append(...further);
        rows.push(...further);
      });
      read.then(action);
    };
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const sort = button(head.textContent, () => then(() => {
        const rising = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((one) => one.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", rising ? "ascending" : "descending");
        rows.sort((a, b) => (rising ? 1 : -1) * compare(value(a, column), value(b, column)));
        body.append(...rows);
        show();
      }), { class: "sort" });
      head.replaceChildren(sort);
    });
    let whole = table.classList.contains("whole");
    let words = [];
    const told = make("span", { role: "status", class: "soft" });
    const more = button("", () => then(() => { whole = !whole; show(); }), { class: "more" });
    const show = () => {
      const fits = rows.filter((row) => words.every((word) => row.textContent.toLowerCase().includes(word)));
      const shown = new Set(whole || words.length ? fits : fits.slice(0, first));
      for (const row of rows) row.hidden = !shown.has(row);
      told.textContent = words.length ? `${fits.length} of ${total} lines` : "";
      more.hidden = total <= first || words.length > 0 || table.classList.contains("whole");
      more.textContent = whole ? `Only the first ${first}` : `All ${total} lines`;
      more.setAttribute("aria-expanded", String(whole));
    };
    if (total > first) {
      const name = table.closest(".box").getAttribute("aria-label");
      const field = make("input", { type: "search", placeholder: "filter", "aria-label": `Filter: ${name}` });
      field.addEventListener("input", () => { words = field.value.toLowerCase().split(/\s+/).filter(Boolean); then(show); });
      table.closest(".box").before(make("p", { class: "tools" }, field, told));
      table.closest(".box").after(more);
      const aimed = () => {
        const there = document.getElementById(decodeURIComponent(location.hash.slice(1)));
        if (there && body.contains(there)) { whole = true; show(); there.scrollIntoView(); }
      };
      addEventListener("hashchange", aimed);
      show();
      aimed();
    }
  };

  // listings of code
  const listing = (pre) => pre.parentElement.addEventListener("toggle", () => {
    unpacked(pre.dataset.packed).then((text) => { pre.textContent = text; });
  }, { once: true });

  // pictures
  const plotly = () => window.Plotly ? Promise.resolve() :
    script("assets/plotly.js", "plotly").then((text) => { document.head.append(make("script", {}, text)); });
  const COLOURS = {
    light: ["#1f5a94", "#b4501e", "#2a9d78", "#c069ab", "#aa9420", "#3d2a52"],
    dark: ["#4f93dc", "#ee7f4a", "#35b98a", "#e0a9e6", "#e3d46c", "#f8f4fb"],
  };
  const ink = () => getComputedStyle(document.documentElement).getPropertyValue("--ink").trim();
  const ARMS = ["method", "baseline", "cause removed"];
  const faded = (colour) => `${colour}38`;
  const traces = (data, axis, logs) => {
    const colours = COLOURS[dark() ? "dark" : "light"];
    if (data.bars) {
      return data.kinds.map((kind, number) => {
        const mine = data.bars.kind.flatMap((one, k) => (one === number ? [k] : []));
        return {
          type: "bar", orientation: "h", name: kind, marker: { color: colours[number % colours.length] },
          y: mine.map((k) => data.lanes[data.bars.lane[k]]), base: mine.map((k) => data.bars.start[k]),
          x: mine.map((k) => data.bars.stop[k] - data.bars.start[k]), hovertemplate: "%{y}: %{base:.4g} s + %{x:.4g} s<extra>%{fullData.name}</extra>",
        };
      });
    }
    const curves = data.series.flatMap((one, number) => {
      const own = one.style === "dash" ? colours[1] : colours[[0, 2, 3, 4, 5][number % 5]];
      const colour = one.colour === undefined ? own : one.colour < 0 ? ink() : colours[one.colour % colours.length];
      const along = one.x[Math.min(axis, one.x.length - 1)];
      const x = logs[0] ? along.map((at) => (at > 0 ? at : null)) : along;
      const y = logs[1] ? one.y.map((at) => (at > 0 ? at : null)) : one.y;
      const shape = {
        x, y, name: one.name, legendgroup: number, text: one.names ?? "", type: "scatter",
        mode: one.style === "mark" || one.style === "points" ? "markers" : x.length < 13 ? "lines+markers" : "lines",
        line: { color: colour, width: 2, dash: one.style === "dash" ? "dash" : "solid" },
        marker: { color: colour, size: 7, symbol: number % 8 },
        hovertemplate: `${one.names ? "%{text}<br>" : ""}x %{x:.4g}, y %{y:.4g}<extra>%{fullData.name}</extra>`,
      };
      if (!one.low) return [shape];
      if (one.style === "points") {
        shape.error_y = { type: "data", symmetric: false, array: one.high.map((h, k) => h - one.y[k]), arrayminus: one.low.map((l, k) => one.y[k] - l) };
        return [shape];
      }
      const keep = one.low.flatMap((l, k) => (l !== null && x[k] !== null && (!logs[1] || l > 0) ? [k] : []));
      const band = {
        x: [...keep.map((k) => x[k]), ...keep.map((k) => x[k]).reverse()],
        y: [...keep.map((k) => one.high[k]), ...keep.map((k) => one.low[k]).reverse()],
        fill: "toself", fillcolor: faded(colour), line: { width: 0 }, mode: "lines", type: "scatter",
        hoverinfo: "skip", showlegend: false, legendgroup: number,
      };
      return [band, shape];
    });
    const arms = data.readings?.shares.map((shares, k) => ({
      type: "violin", orientation: "h", xaxis: "x2", yaxis: "y2", x: shares, y0: ARMS[k], name: ARMS[k], points: "all", pointpos: 0, jitter: 0.4,
      spanmode: "hard", line: { color: colours[k], width: 1 }, fillcolor: faded(colours[k]), marker: { color: colours[k], size: 3 }, showlegend: false,
    })) ?? [];
    return [...curves, ...arms];
  };
  const layout = (data, axis, logs) => {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink").trim();
    const rule = style.getPropertyValue("--rule").trim();
    const side = (title, log) => ({
      title: { text: title }, type: log ? "log" : data.bars ? undefined : "linear", gridcolor: rule, zerolinecolor: rule, automargin: true,
      exponentformat: "power",
    });
    const below = data.readings && {
      xaxis2: { ...side(`reading of each replica / the baseline's mean; at most ${data.readings.claimed} claimed`, false), anchor: "y2" },
      yaxis2: { domain: [0, 0.22], autorange: "reversed", automargin: true },
      shapes: [{ type: "line", xref: "x2", yref: "y2 domain", x0: data.readings.claimed, x1: data.readings.claimed, y0: 0, y1: 1, line: { color: ink, dash: "dash", width: 1.5 } }],
    };
    return {
      ...below, barmode: "overlay",
      paper_bgcolor: style.getPropertyValue("--sheet").trim(), plot_bgcolor: style.getPropertyValue("--sheet").trim(),
      font: { color: ink, size: 13 }, margin: { t: 20, r: 16, b: 64, l: 60 },
      legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" }, hovermode: "closest",
      xaxis: side(data.bars ? data.x : data.axes[axis], !data.bars && logs[0]),
      yaxis: data.bars ? { automargin: true, autorange: "reversed" } : { ...side(data.y, logs[1]), ...(below && { domain: [0.4, 1] }) },
    };
  };
  const csv = (data) => {
    const quoted = (cell) => (/[",\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell ?? "");
    const lines = data.bars
      ? [["lane", "kind", "start [s]", "stop [s]"], ...data.bars.lane.map((lane, k) => [data.lanes[lane], data.kinds[data.bars.kind[k]], data.bars.start[k], data.bars.stop[k]])]
      : [["name", ...data.axes, data.y, "low", "high"], ...data.series.flatMap((one) => one.y.map((y, k) => [
        one.names ? `${one.name}: ${one.names[k]}` : one.name, ...data.axes.map((_, a) => one.x[a]?.[k]), y, one.low?.[k], one.high?.[k]]))];
    data.readings?.shares.forEach((shares, k) => shares.forEach((share) => lines.push([`${ARMS[k]}: reading / the baseline's mean`, "", share ?? "not reached", "", ""])));
    return lines.map((line) => line.map(quoted).join(",")).join("\n") + "\n";
  };
  const titled = (data, form) => ({ ...form, title: { text: data.title, font: { size: 15 } }, margin: { ...form.margin, t: 110 } });
  const save = (name, href) => make("a", { download: name, href }).click();
  const picture = (figure) => {
    const stem = figure.id.replace("figure-", "");
    const charts = `charts/${figure.dataset.charts}`;
    const image = figure.querySelector("img");
    const name = image.alt;
    const bar = make("div", { class: "tools", role: "group", "aria-label": `Picture: ${name}` });
    const stage = make("div", { class: "chart", hidden: "" });
    const told = make("span", { role: "status", class: "soft" });
    // an axis may be given as what each of the first one's is multiplied by
    const whole = (data) => {
      for (const one of data.series ?? []) one.x = one.x.map((x) => (typeof x === "number" ? one.x[0].map((at) => at * x) : x));
      return data;
    };
    const loaded = () => script(`${charts}.js`, charts).then((text) => whole(JSON.parse(text)[stem]));
    const failed = (error) => { told.textContent = String(error.message); };
    let state = null;
    const draw = () => {
      if (stage.hidden) return;
      Plotly.react(stage, traces(state.data, state.axis, state.logs), layout(state.data, state.axis, state.logs), { responsive: true, displaylogo: false, showSendToCloud: false, plotlyServerURL: "" });
    };
    const choices = (data) => {
      const group = make("span", { class: "choices" });
      const choose = (label, options, chosen, action) => {
        const select = make("select", { "aria-label": `${label}: ${name}` });
        options.forEach((text, k) => select.append(make("option", k === chosen ? { value: k, selected: "" } : { value: k }, text)));
        select.addEventListener("change", () => { action(Number(select.value)); draw(); });
        group.append(make("label", {}, `${label} `, select));
      };
      if (data.bars) return group;
      if (data.axes.length > 1) choose("x", data.axes, 0, (k) => { state.axis = k; });
      ["x axis", "y axis"].forEach((label, side) => choose(label, ["linear", "log"], Number(data.logs[side]), (k) => { state.logs[side] = Boolean(k); }));
      return group;
    };
    const toggle = button("Look closer", () => {
      if (!stage.hidden) {
        stage.hidden = true; image.hidden = false; toggle.setAttribute("aria-expanded", "false");
        bar.querySelector(".choices").hidden = true; toggle.textContent = "Look closer";
        return;
      }
      told.textContent = "reading …";
      Promise.all([loaded(), plotly()]).then(([data]) => {
        told.textContent = "";
        state ??= { data, axis: 0, logs: [...(data.logs ?? [])] };
        if (!bar.querySelector(".choices")) toggle.after(choices(data));
        bar.querySelector(".choices").hidden = false;
        stage.hidden = false; image.hidden = true; toggle.setAttribute("aria-expanded", "true");
        toggle.textContent = "Still picture";
        drawn.add(draw);
        draw();
      }).catch(failed);
    }, { "aria-expanded": "false" });
    const asCsv = button("CSV", () => loaded().then((data) => save(`${stem}.csv`, URL.createObjectURL(new Blob([csv(data)], { type: "text/csv" })))).catch(failed));
    const asSvg = button("SVG", () => Promise.all([loaded(), plotly()]).then(([data]) => {
      const [axis, logs] = state ? [state.axis, state.logs] : [0, data.logs ?? []];
      return Plotly.toImage({ data: traces(data, axis, logs), layout: titled(data, layout(data, axis, logs)) }, { format: "svg", width: 900, height: 560 });
    }).then((href) => save(`${stem}.svg`, href)).catch(failed));
    bar.append(toggle, asCsv, asSvg, told);
    image.after(stage);
    figure.append(bar);
  };

  document.addEventListener("DOMContentLoaded", () => {
    const bar = document.querySelector(".bar > div");
    if (bar) {
      const field = make("input", { type: "search", placeholder: "Search ( / )", autocomplete: "off", "aria-label": "Search these pages" });
      const form = make("form", { role: "search" }, field, make("span", { role: "status", class: "soft" }), make("ul", { hidden: "" }));
      bar.append(form, button("Light or dark", () => {
        const next = dark() ? "light" : "dark";
        document.documentElement.dataset.theme = next;
        kept(next);
        switched();
      }, { id: "theme" }));
      searching(form);
    }
    document.querySelectorAll("table.sorted").forEach(sortable);
    document.querySelectorAll("figure[data-charts]").forEach(picture);
    document.querySelectorAll("details > pre[data-packed]").forEach(listing);
  });
  return {
    chart: (row, text) => given(`charts/${row}`)(text),
    search: given("search"),
    plotly: given("plotly"),
  };
})();
