"""A headless Chromium that tests look at pages with: it opens, runs scripts, takes pictures.

It is spoken to through two pipes in its DevTools protocol: one JSON message, ended by a zero byte.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BROWSER = shutil.which("chromium")
_PIPED = """
import fcntl, os, sys
kept = [fcntl.fcntl(int(pipe), fcntl.F_DUPFD, 10) for pipe in sys.argv[1:3]]
for pipe, place in zip(kept, (3, 4)):
    os.dup2(pipe, place)
os.execv(sys.argv[3], sys.argv[3:])
"""  # Chromium reads from 3 and writes to 4
_PATIENCE = 120.0  # seconds on a machine that does much else


class Tab:
    """One page; ``faults``: console errors, exceptions, requests to anywhere but files."""

    def __init__(self, send: int, receive: int) -> None:
        self.faults: list[str] = []
        self._send, self._receive = send, receive
        self._number, self._rest, self._session = 0, b"", ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def open(self, page: Path, anchor: str = "") -> float:
        """Go to a page, wait until it is loaded; milliseconds from navigation to its load event."""
        self._loaded = False
        self.call("Page.navigate", url=page.as_uri() + anchor)
        while not self._loaded:
            self._read()
        return float(
            self.run("performance.timing.loadEventStart - performance.timing.navigationStart")
        )

    def run(self, script: str) -> Any:
        """The value of an expression, awaited if it is a promise."""
        done = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in done:
            raise AssertionError(json.dumps(done["exceptionDetails"])[:2000])
        return done["result"].get("value")

    def until(self, script: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + _PATIENCE
        while not self.run(script):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.02)

    def look(self, width: int, height: int, *, dark: bool = False, phone: bool = False) -> None:
        """Size of the window, and whether the system is dark."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=phone)  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self) -> bytes:
        """The window as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command, and give what it answers."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer.get('error')}"
                result: dict[str, Any] = answer["result"]
                return result

    def _read(self) -> dict[str, Any]:
        end = time.monotonic() + _PATIENCE
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._receive], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser says nothing"
            read = os.read(self._receive, 1 << 20)
            assert read, "the browser is gone"
            self._rest += read
        text, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, event: str, told: dict[str, Any]) -> None:
        if event == "Page.loadEventFired":
            self._loaded = True
        if event == "Runtime.exceptionThrown":
            self.faults.append(json.dumps(told["exceptionDetails"])[:600])
        if event == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.faults.append(json.dumps(told["args"])[:600])
        if event == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.faults.append(f"{told['entry']['text']} {told['entry'].get('url', '')}")
        if event == "Network.requestWillBeSent":
            url = told["request"]["url"]
            if not url.startswith(("file:", "data:", "blob:", "about:")):
                self.faults.append(f"asks the network for {url}")
        if event == "Network.loadingFailed" and not told.get("canceled"):
            self.faults.append(f"not loaded: {told['errorText']}")


@contextmanager
def chromium(profile: Path) -> Iterator[Tab]:
    """A browser with one tab; it ends with the block."""
    assert BROWSER, "no chromium on this machine"
    theirs, send = os.pipe()
    receive, back = os.pipe()
    words = [
        "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
        f"--user-data-dir={profile}", "--no-first-run", "--disable-background-networking",
    ]  # fmt: skip
    browser = subprocess.Popen(
        [sys.executable, "-c", _PIPED, str(theirs), str(back), BROWSER, *words],
        pass_fds=(theirs, back), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(theirs)
    os.close(back)
    try:
        yield Tab(send, receive)
    finally:
        os.close(send)
        os.close(receive)
        try:
            browser.wait(20)
        except subprocess.TimeoutExpired:
            browser.kill()
            browser.wait()
