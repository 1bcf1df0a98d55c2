# `make study` and `make test` each set up all that they need in .venv: Python >= 3.11, a C compiler and make are enough.

PYTHON ?= python3
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
SOURCES := pyproject.toml meson.build meson.options constraints.txt ext/meson.build

.PHONY: study test lint types unit checked sanitize notebooks reports bench clean
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

# A test that hangs fails, and says where each thread was.
NO_HANG := -o faulthandler_timeout=400 -o faulthandler_exit_on_timeout=true
unit: $(VENV)/ready-dev
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -q -n $(JOBS) $(NO_HANG)

# The kernel built to stop at the first wrong index, division, shift or address, and what drives it (docs/platforms.md).
KERNEL_TESTS := tests/kernel tests/perft tests/solve tests/players tests/test_worlds.py
checked: $(VENV)/ready-dev
	$(SIDE_BUILD) build/checked -Csetup-args=-Dchecked=true
	build/checked/bin/python -m pytest -q -n $(JOBS) -p no:cacheprovider $(KERNEL_TESTS)

sanitize: $(VENV)/ready-dev
	$(SIDE_BUILD) build/sanitize -Csetup-args=-Dchecked=true -Csetup-args=-Db_sanitize=address,undefined -Csetup-args=-Db_lundef=false
	LD_PRELOAD=$$($(CC) -print-file-name=libasan.so) PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1 \
	  UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	  build/sanitize/bin/python -m pytest -q -n $(JOBS) -p no:cacheprovider $(KERNEL_TESTS)

# An environment that borrows all but courtpiece from $(VENV): FOLDER ARGUMENTS-FOR-THE-BUILD
SIDE_BUILD = sh -ec 'folder=$$1; shift; $(BIN)/python -m venv --without-pip $$folder; \
  $(BIN)/python -c "import sys; print(*(p for p in sys.path if p.endswith(\"site-packages\")), sep=\"\n\")" \
    >$$(ls -d $$folder/lib/python3*/site-packages)/borrowed.pth; \
  PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) --python $$folder/bin/python install -q --no-deps --no-build-isolation --force-reinstall \
    -Cbuild-dir=$$folder/work "$$@" .' side-build

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
