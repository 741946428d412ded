# make demo | test | test-full | axe | check | bench | bench-bootstrap | bench-coverage | bench-thresholds | bench-quality |
# bench-report | bench-audit | lint-reports | mutants | forgeries | fuzz | picture | docs: each sets up .venv by itself.
PYTHON ?= python3
BIN := .venv/bin
SETUP := .venv/.ready
# Tests start the command some hundred times: where this is set, every start would compile assay anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-full axe picture check lint-reports bench bench-bootstrap bench-coverage bench-thresholds \
  bench-quality bench-report bench-audit mutants forgeries fuzz docs clean

$(SETUP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "assay needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,check]'
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
	  --python-version 3.13 --dest .venv/wheels every-eval-ever==0.3.0 || \
	  echo 'every-eval-ever could not be fetched: its test will say so'
	touch $@

# Without the tests' dependencies, unless they are there.
.venv/.demo: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "assay needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[audit,pipeline]'
	touch $@

demo: $(if $(wildcard $(SETUP)),$(SETUP),.venv/.demo)
	$(BIN)/assay demo --pipeline -o build/demo

test: $(SETUP)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not full'

# What takes longer or needs a browser (apt-get install chromium); CI runs both.
test-full: $(SETUP) axe
	$(BIN)/python -m pytest -n 2 --dist worksteal -m full
	$(BIN)/python -m tests.fuzz.run --cases 300 --seconds 0 --keep build/fuzz # about a minute, the same cases each time

# The rules of accessibility that tests/report runs in the page, outside the tree; tests say when it is absent.
axe: .venv/axe/package/axe.min.js

.venv/axe/package/axe.min.js: $(SETUP)
	mkdir -p .venv/axe
	cd .venv/axe && npm pack --silent axe-core@4.14.0 && tar xzf axe-core-4.14.0.tgz
	touch $@

# The picture of the README, of the demo's report: chromium must be installed.
picture: $(SETUP) demo
	$(BIN)/python docs/picture.py

check: $(SETUP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python docs/reference.py --check
	$(BIN)/python docs/comparisons.py --check
	$(BIN)/python docs/outputs.py --check

docs: $(SETUP)
	$(BIN)/python docs/reference.py
	$(BIN)/python docs/comparisons.py
	$(BIN)/python docs/outputs.py

# 1,000 correct reports, and faults planted in them; the tests lint 124.
lint-reports: $(SETUP)
	$(BIN)/python -m tests.verify.lint.generated --reports 1000

mutants: $(SETUP)
	$(BIN)/python tests/mutants/run.py

forgeries: $(SETUP)
	$(BIN)/python -m tests.forgery.run

# Mutated inputs through every command: make fuzz [SECONDS=600] [SEED=0]; CI runs 60 seconds.
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

bench-coverage: .venv/.bench
	$(BIN)/python benchmarks/interval_coverage.py

bench-quality: .venv/.bench
	$(BIN)/python benchmarks/quality.py

bench-report: .venv/.bench
	$(BIN)/python benchmarks/report.py

# Real corpora are not in the repository: make bench-audit DATA=folder adds honest systems on them.
bench-audit: $(SETUP)
	$(BIN)/python benchmarks/audit_power.py $(if $(DATA),--data $(DATA)) --write

clean:
	rm -rf .venv .bench
