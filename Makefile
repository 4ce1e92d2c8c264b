# make survey   the main job, from a fresh clone to report/index.html
# make test     lint, types, import contracts, all tests
# make bench    speed, against a plain numpy loop and the byte bound
# make quick    make test without the tests marked slow
# make repeat   the tests that start processes, N=10 times or until one fails
# make lint     the quickest part of make test
# make docs     the API reference, docs/api/index.html

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

export OMP_NUM_THREADS ?= 1

N ?= 10

.PHONY: survey test quick repeat bench lint docs clean

survey: $(STAMP)
	$(BIN)/rateproof survey --preset quick --out report

test: lint
	$(BIN)/python -m pytest -n 2 --dist worksteal --durations=20 --durations-min=5

quick: lint
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

repeat: $(STAMP)
	for run in $$(seq $(N)); do echo "run $$run of $(N)"; \
	  $(BIN)/python -m pytest -x -n 2 --dist worksteal -m "sharded or processes" || exit 1; done

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python -m benchmarks.speed

docs: $(STAMP)
	$(BIN)/python -m experiments.reporting.api_reference docs/api

# Dependency groups need pip 25.1, so pip comes first.
$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[optimal]' --group dev
	touch $(STAMP)

clean:
	rm -rf .venv report bench-results docs/api
