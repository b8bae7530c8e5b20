# Everything runs in .venv, made on first use: a fresh clone needs only make and Python 3.11 or newer.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# `make test BROWSER=0` leaves out the tests that need Chromium.
BROWSER ?= 1
# On two cores: tests wait for processes, browsers and databases. Each has 700 MB.
JOBS ?= 5
# Slow tests mostly wait: for machines to boot, leases to end, prices to rise.
SLOW_JOBS ?= 4

export OMP_NUM_THREADS ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Where it is set, every process that a test starts compiles all it imports anew, and pytest every test at each run.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help venv browser demo picture zoo seeds quick test slow soak crash cover check format lint types imports hooks release clean

help:  ## Shows this list.
	@awk -F':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(STAMP)  ## Makes .venv with elasticd, torch and the development tools.

# elastic/__init__.py holds the version, which is copied at installation.
$(STAMP): pyproject.toml constraints.txt elastic/__init__.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "wanted Python 3.11 or newer, found $$($(PYTHON) --version 2>&1): set PYTHON, as in make PYTHON=python3.12" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
		{ echo "could not make $(VENV): on Debian and Ubuntu, install python3-venv" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[train,dev]'
	@touch $@

BROWSERS := chromium-headless-shell chromium google-chrome google-chrome-stable
FIND_BROWSER := for each in $(BROWSERS); do \
	command -v $$each >/dev/null && exit 0; done

browser:  ## Finds Chromium or Chrome, or installs it with apt-get when run as root.
	@test "$(BROWSER)" != 0 || exit 0; \
	$(FIND_BROWSER); \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
		apt-get update -qq; \
		for each in chromium-headless-shell chromium; do \
			DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$each >/dev/null && break; done; \
		$(FIND_BROWSER); \
	fi; \
	echo "wanted Chromium or Chrome for the dashboard's tests, found none: install it" \
		"(Debian: apt-get install chromium; Ubuntu: snap install chromium)," \
		"or leave those tests out with make test BROWSER=0" >&2; \
	exit 1

demo: $(STAMP)  ## Trains ESRGAN on a local EC2 whose instances boot, under 5 minutes, and accounts for it.
	@$(BIN)/python -m examples.demo

picture: $(STAMP) browser  ## Takes the documents' pictures of the dashboard: of the demo, and of many jobs.
	@$(BIN)/python -m examples.demo --picture docs/images/dashboard.png
	@$(BIN)/python -m tests.e2e.pictures docs/images

ROWS ?=
PRELOAD ?=
zoo: $(STAMP)  ## Runs scripts of many kinds unmodified, and prints what came of each; ROWS=ddp,gan and PRELOAD=yes choose.
	@$(BIN)/python -m benchmarks.zoo --rows "$(ROWS)" --preload "$(PRELOAD)"

seeds: $(STAMP)  ## Runs five programs on real sshds, Slurm and the lab, and prints a row of each; ROWS=S1,S3 chooses.
	@$(BIN)/python -m benchmarks.seeds --rows "$(ROWS)"

# Examples of the pure rooms in one process. Properties and whole lives of jobs are left to `test`.
quick: $(STAMP)  ## Runs the examples of the pure rooms, in under 10 seconds of processor time.
	$(BIN)/pytest -p no:xdist -m 'not slow and not hypothesis' tests/model tests/throughput tests/policy \
		tests/protocol tests/test_figures.py tests/test_liveness.py --ignore tests/policy/test_properties.py \
		--deselect tests/policy/test_what_if.py::test_each_printed_threshold_flips_the_plan_at_it_and_not_before

test: $(STAMP) browser  ## Runs all tests but the slow ones.
	$(BIN)/pytest -n $(JOBS) --dist worksteal -m 'not slow $(if $(filter 0,$(BROWSER)),and not browser)'

# The demo promises a time, a quota is a share of a core that must be there, and two cores are faster than one only where
# nobody else computes: these have the machine to themselves.
ALONE := tests/agent/test_throttle.py tests/e2e/test_cores.py tests/examples/test_demo.py
# Only the files with such tests: to collect all of them takes each worker twenty seconds.
BESIDE = $(filter-out $(ALONE),$(sort $(shell grep -rl --include='test_*.py' 'mark\.slow' tests)))
slow: SLOW = $(BIN)/pytest -m 'slow and not soak $(if $(filter 0,$(BROWSER)),and not browser)' --timeout 900 --durations 12
# In the order of the folders: sorted by their number of tests, the longest stories would come last, one by one.
slow: $(STAMP) browser  ## Runs the slow tests: real nodes, real training, the demo.
	$(SLOW) -n $(SLOW_JOBS) --dist loadfile --no-loadscope-reorder $(BESIDE)
	$(SLOW) $(ALONE)

# Of virtual time: each takes about 6 seconds of processor time.
DAYS ?= 1000
soak: $(STAMP)  ## Runs the slowest tests: the containers, the demo without rights, more deaths of the daemon, other examples, years of faults.
	$(BIN)/pytest -m soak --timeout 900
	HYPOTHESIS_PROFILE=others $(BIN)/pytest -n $(JOBS) -m 'hypothesis and not slow'
	$(BIN)/python -m benchmarks.soak --defects --jobs $(JOBS)
	$(BIN)/python -m benchmarks.soak --days $(DAYS) --jobs $(JOBS)

crash: $(STAMP)  ## Kills the daemon at every ordered pair of crash points: the whole square, of which `slow` plays a sample.
	ELASTICD_CRASH_PAIRS=$${ELASTICD_CRASH_PAIRS:-all} $(BIN)/pytest -n $(JOBS) -m slow --timeout 7200 tests/crash

# Their branches are to be covered in full. Alone, because tracing makes these tests twice as long.
COVERED := model throughput policy reconciler
cover: $(STAMP)  ## Tells which branches of the core no fast test has taken; fails if there are any.
	$(BIN)/pytest -n $(JOBS) --timeout 600 $(addprefix tests/,$(COVERED)) \
		$(addprefix --cov=elastic.,$(COVERED)) --cov-branch --cov-report term-missing:skip-covered --cov-fail-under 100

check: $(STAMP) lint types imports test  ## The whole truth: format, lint, types, import rules, tests.

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(STAMP)
	$(BIN)/mypy

imports: $(STAMP)
	$(BIN)/lint-imports --no-logo

format: $(STAMP)  ## Formats the code and sorts its imports.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix-only --quiet .

hooks: $(STAMP)  ## Lets git run format, lint, types and import rules before each commit.
	$(BIN)/pre-commit install

DRY_RUN ?= 0
release: $(STAMP)  ## Builds, tries and tags the version of elastic/__init__.py; DRY_RUN=1 leaves the tag out.
	$(BIN)/python deploy/release.py $(if $(filter 0,$(DRY_RUN)),,--dry-run)

clean:  ## Removes .venv and everything that tools have left behind.
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
