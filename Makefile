# Every target sets up what it needs in a virtual environment of its own.
PYTHON ?= python3
VENV ?= .venv
PYTHONS ?= python3.10 python3.11 python3.12 python3.13
JOBS ?= $(shell getconf _NPROCESSORS_ONLN)
BIN = $(abspath $(VENV))/bin

# The tests of what a Python, a debug build or a sanitizer can change: text to counts, exact numbers,
# bytes to rows, the contracts, the package. The rest stands on their integers and runs in `make
# test` only, and so do two thirds of the random cases; `make asan DIFFERENT=tests` runs all files.
DIFFERENT = tests/kernel tests/core tests/files tests/contract tests/service/test_reader.py \
	tests/service/test_json.py tests/test_allocations.py tests/test_packaging.py \
	tests/test_reported.py $(wildcard tests/integrations/test_arrow.py)

.PHONY: demo test test-different test-all test-adapters lint fuzz bench instructions phases debug \
	asan sdist clean FORCE

demo: $(VENV)/demo
	cd sample && $(BIN)/python -m chrf.batch --header --reference reference news.tsv

test: $(VENV)/test
	$(BIN)/pytest -n $(JOBS)

test-different: $(VENV)/test
	@echo "only $(DIFFERENT): the other tests, the examples in docstrings and two thirds of the"
	@echo "random cases are left to make test"
	$(SANITIZED) $(BIN)/pytest -n $(JOBS) --hypothesis-profile few $(DIFFERENT)

# What differs between Pythons, on every Python that is here; one that is missing is named.
test-all:
	@for python in $(PYTHONS); do \
		if $$python -c '' 2>/dev/null; then \
			$(MAKE) test-different PYTHON=$$python VENV=$(VENV)-$$python || exit 1; \
		else echo "$$python is not installed: not tested"; fi; \
	done

# The suite with the large libraries of the integrations (PyTorch and others).
test-adapters: $(VENV)/adapters
	$(BIN)/pytest tests/integrations

lint: $(VENV)/lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	PATH="$(BIN):$$PATH" cython-lint chrf
	$(BIN)/mypy --strict chrf
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest -q tests/test_sources.py
	cd tests && $(BIN)/python -m mypy.stubtest $(subst /,.,$(basename $(shell find chrf -name '*.pyi')))

fuzz: $(VENV)/test
	CHRF_FUZZ=1 $(BIN)/pytest -n $(JOBS) tests/kernel/test_kernel.py

bench: $(VENV)/bench
	$(BIN)/python bench/table.py
	$(BIN)/python bench/pairs.py
	$(BIN)/python bench/stats.py
	$(BIN)/python bench/pipeline.py
	$(BIN)/python bench/scaling.py --plot docs/segments-per-second.svg
	$(BIN)/pytest bench/test_bench.py

# Instructions of the kernel on fixed inputs, against the stored numbers.
instructions: $(VENV)/bench
	$(BIN)/python bench/instructions.py

# In which functions they are.
phases:
	CHRF_PROFILE=1 $(MAKE) $(VENV)-phases/bench VENV=$(VENV)-phases
	$(abspath $(VENV)-phases)/bin/python bench/phases.py

# Bounds checks and C assertions on, optimisation off.
debug:
	CHRF_DEBUG=1 $(MAKE) test-different VENV=$(VENV)-debug

# Under AddressSanitizer and UndefinedBehaviorSanitizer.
asan:
	CHRF_SANITIZE=1 $(MAKE) test-different VENV=$(VENV)-asan

SANITIZED = $(if $(CHRF_SANITIZE),ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)")

# An sdist, a wheel made from it in a clean place, and the test that they hold every file.
sdist: $(VENV)/test
	rm -rf dist
	$(PIP) install build
	$(BIN)/python -m build
	CHRF_DIST=$(abspath dist) $(BIN)/pytest tests/test_packaging.py

clean:
	rm -rf build dist *.egg-info $(VENV) $(VENV)-*

# --- Environments ---------------------------------------------------------------------------------
# One wheel for each Python and kind of build (setup.py), used by every environment that needs it.
KIND = $(if $(CHRF_DEBUG),debug,$(if $(CHRF_SANITIZE),sanitize,$(if $(CHRF_PROFILE),profile,release)))
TAG = $(shell $(PYTHON) -c 'import sys; print(sys.implementation.cache_tag)')
WHEELS = build/wheels/$(KIND)-$(TAG)
SOURCES = setup.py pyproject.toml MANIFEST.in build/sources \
	$(shell find chrf -type f ! -name '*.so' ! -name '*.py[co]')

# pip tells what it does where somebody looks on.
PIP = $(BIN)/pip --disable-pip-version-check $$(test -t 2 || echo --quiet)

# ccache, where there is one, spares objects that were compiled before.
ifneq ($(shell command -v ccache),)
export CCACHE_NOHASHDIR = 1
export CC := ccache $(if $(filter default,$(origin CC)),cc,$(filter-out ccache,$(CC)))
endif

# The names of all sources: a file that was moved or deleted is no newer than before.
build/sources: FORCE
	@mkdir -p build
	@find chrf -type f ! -name '*.so' ! -name '*.py[co]' | sort >$@.new
	@cmp -s $@.new $@ || cp $@.new $@

$(VENV)/bin/python:
	@echo "creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)

# A wheel would also hold what an earlier one left in lib/.
$(WHEELS)/made: $(SOURCES) | $(VENV)/bin/python
	@rm -rf $(WHEELS) build/$(KIND)/lib*
	@$(BIN)/python setup.py compiler
	@echo "compiling the kernels ($(KIND), $$($(PYTHON) --version)): about half a minute"
	@$(PIP) wheel --no-deps --wheel-dir $(WHEELS) .
	@touch $@

# A stamp says that the environment holds the package as it is now, with an extra of that name.
EXTRA = [$*]
$(VENV)/demo: EXTRA =
$(VENV)/lint: EXTRA = [test,lint]
$(VENV)/adapters: EXTRA = [test,adapters]
$(VENV)/%: $(WHEELS)/made | $(VENV)/bin/python
	@echo "installing chrf$(EXTRA) in $(VENV)"
	@$(PIP) install "$$(echo $(WHEELS)/*.whl)$(EXTRA)"
	@$(PIP) install --force-reinstall --no-deps $(WHEELS)/*.whl
	@touch $@
