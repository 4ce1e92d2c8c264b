# make survey   the main job, from a fresh clone to report/index.html
# make test     lint, types, import contracts, the tests that are not marked slow
# make slow     the tests marked slow
# make bench    speed of every row, against numpy loops and the byte bound, memory and scaling
# make repeat   the tests that start processes and are not slow, in random order, N=10 times or until one fails;
#               TESTS="not slow" other tests, FROM=11 orders of other seeds
# make lint     the quickest part of make test
# make docs     docs, catalogue and API reference as pages, docs/site/index.html

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

export OMP_NUM_THREADS ?= 1

# Where the environment forbids bytecode, every worker of pytest would rewrite all asserts anew: 12 s of
# 28 s before its first test.
unexport PYTHONDONTWRITEBYTECODE

N ?= 10
FROM ?= 1
TESTS ?= (sharded or processes) and not slow
WORKERS ?= 3
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

.PHONY: survey test slow repeat bench lint checked compiled docs clean

survey: $(STAMP)
	$(BIN)/rateproof survey --preset quick --out report

# Three workers on two cores: with two, a sixth of both cores' time went by while tests waited for
# processes that they had started.
test: checked compiled
	$(PYTEST) -m "not slow" --durations=20 --durations-min=5

slow: compiled
	$(PYTEST) -m slow --durations=20 --durations-min=5

repeat: compiled
	for seed in $$(seq $(FROM) $$(($(FROM) + $(N) - 1))); do echo "order of seed $$seed"; \
	  $(PYTEST) -x -p tests.shuffled --shuffle $$seed -m "$(TESTS)" || exit 1; \
	done

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports & imports=$$!; $(BIN)/mypy && wait $$imports

# Beside the types, which use one core.
checked: $(STAMP)
	$(BIN)/python -m tests.compile_kernels & kernels=$$!; $(MAKE) --no-print-directory lint && wait $$kernels

# Every process that a test starts imports the project: 0.7 s less of 5.7 s, even where Python is told
# not to keep what it compiled.
compiled: $(STAMP)
	$(BIN)/python -m compileall -q -j 2 theory algorithms proofs_check experiments tests rateproof.py

bench: $(STAMP)
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.rows
	$(BIN)/python -m benchmarks.parts

docs: $(STAMP)
	$(BIN)/python -m experiments.reporting.site docs/site

# Dependency groups need pip 25.1, so pip comes first.
$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[optimal]' --group dev
	touch $(STAMP)

clean:
	rm -rf .venv report bench-results docs/site
