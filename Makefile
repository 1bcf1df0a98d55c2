# `make study` and `make test` each set up all that they need in .venv: Python >= 3.11, a C compiler and make are enough.

PYTHON ?= python3
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
SOURCES := pyproject.toml meson.build constraints.txt ext/meson.build

.PHONY: study test lint types unit notebooks reports bench clean
.DEFAULT_GOAL := study

study: $(VENV)/ready
	$(BIN)/courtpiece run trump-call --rules single-sir --jobs $(JOBS) --out results/trump-call

test: lint types unit

lint: $(VENV)/ready-dev
	$(BIN)/ruff check .

types: $(VENV)/ready-dev
	$(BIN)/mypy
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m mypy.stubtest --mypy-config-file pyproject.toml \
	  courtpiece._kernel.alphamu courtpiece._kernel.cpu courtpiece._kernel.engine courtpiece._kernel.exact \
	  courtpiece._kernel.ismcts courtpiece._kernel.search courtpiece._kernel.solver courtpiece._kernel.worlds

unit: $(VENV)/ready-dev
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -q -n $(JOBS)

notebooks: $(VENV)/ready-dev
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tests/test_notebooks.py

# The commands stand in reports/README.md; the pages are taken from the folders of their runs.
reports: $(VENV)/ready
	sed -n '/^```sh$$/,/^```$$/{/^```/!p}' reports/README.md | PATH="$(CURDIR)/$(BIN):$$PATH" sh -ex
	for run in results/reports/*/; do \
	  for lang in en ur hi; do \
	    page=$$($(BIN)/courtpiece report $$run --lang $$lang) || exit 1; \
	    cp $$page reports/$$(basename $$run)$${page#$${run}report}; \
	  done; \
	done

bench: $(VENV)/ready-dev
	$(PIP) install -q -c constraints.txt --group bench
	$(BIN)/courtpiece bench

clean:
	rm -rf $(VENV) build dist results

# The package in place (an edit of the kernel is compiled on the next import), with what it needs to run.
$(VENV)/ready: $(SOURCES)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "courtpiece needs Python 3.11 or newer: $(PYTHON) is $$($(PYTHON) --version); try make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -q --upgrade "pip>=25.1"
	$(PIP) install -q -c constraints.txt --group build
	PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) install -q -c constraints.txt --no-build-isolation -e .
	@touch $@

$(VENV)/ready-dev: $(VENV)/ready
	$(PIP) install -q -c constraints.txt --group dev
	@touch $@
