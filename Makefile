# Every target sets up what it needs in a virtual environment of its own.
PYTHON ?= python3
VENV ?= .venv
PYTHONS ?= python3.10 python3.11 python3.12 python3.13
BIN = $(abspath $(VENV))/bin
SOURCES = setup.py pyproject.toml $(shell find chrf -name '*.py' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.pyi')

.PHONY: demo test test-all test-adapters lint fuzz bench instructions phases debug asan sdist clean

demo: $(VENV)/demo
	cd sample && $(BIN)/python -m chrf.batch --header --reference reference news.tsv

test: $(VENV)/test
	$(BIN)/pytest

# The suite on every Python that is here; one that is missing is named.
test-all:
	@for python in $(PYTHONS); do \
		if $$python -c '' 2>/dev/null; then \
			$(MAKE) test PYTHON=$$python VENV=$(VENV)-$$python || exit 1; \
		else echo "$$python is not installed: not tested"; fi; \
	done

# The suite with the large libraries of the adapters (PyTorch and others).
test-adapters: $(VENV)/adapters
	$(BIN)/pytest tests/integrations

lint: $(VENV)/lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	PATH="$(BIN):$$PATH" cython-lint chrf
	$(BIN)/mypy --strict chrf
	cd tests && $(BIN)/python -m mypy.stubtest $(subst /,.,$(basename $(shell find chrf -name '*.pyi')))

fuzz: $(VENV)/test
	CHRF_FUZZ=1 $(BIN)/pytest tests/test_kernel.py

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
phases: export CHRF_PROFILE = 1
phases: $(VENV)-phases/bench
	$(VENV)-phases/bin/python bench/phases.py

# Bounds checks and C assertions on, optimisation off.
debug: export CHRF_DEBUG = 1
debug:
	$(MAKE) test VENV=$(VENV)-debug

# The suite under AddressSanitizer and UndefinedBehaviorSanitizer.
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=undefined -g -O1
asan: export CFLAGS = $(SANITIZE)
asan: export LDFLAGS = $(SANITIZE)
asan: export CHRF_SANITIZE = 1
asan: $(VENV)-asan/test
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc $(VENV)-asan/bin/pytest

sdist: $(VENV)/test
	$(BIN)/pip install --quiet build
	$(BIN)/python -m build

clean:
	rm -rf build dist *.egg-info $(VENV) $(VENV)-*

# A stamp says that the environment holds the package as it is now, with an extra of that name.
comma := ,
define environment
	test -d $(@D) || $(PYTHON) -m venv $(@D)
	rm -rf build  # objects of other flags: make debug, make asan
	$(@D)/bin/pip install --quiet '.$(1)'
	touch $@
endef

%/demo: $(SOURCES)
	$(call environment,)

%/test: $(SOURCES)
	$(call environment,[test])

%/lint: $(SOURCES)
	$(call environment,[test$(comma)lint])

%/adapters: $(SOURCES)
	$(call environment,[test$(comma)adapters])

%/bench: $(SOURCES)
	$(call environment,[bench])
