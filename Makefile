# Every task by name. Each one does the set-up that it needs.
.DEFAULT_GOAL := help
.PHONY: help setup demo serve test test-crash check console console-test bench evidence evidence-local evidence-crash generate format ci clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
EXTRAS := .[server,embedded,dev]
PACKAGES := console/node_modules/.package-lock.json
TESTS ?=

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## Make .venv and install everything into it (uv where it is installed, else venv and pip)

$(READY): pyproject.toml constraints.txt
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python ">=3.11" $(VENV) && \
		uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --editable "$(EXTRAS)"; \
	else \
		$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; set PYTHON=…")' && \
		$(PYTHON) -m venv $(VENV) && \
		PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check \
			--constraint constraints.txt --editable "$(EXTRAS)"; \
	fi
	@touch $@

demo: $(READY) ## Kill an agent after the charge, start it again, and count the charges
	@$(BIN)/actae demo

serve: $(READY) ## Run a development server on its own PostgreSQL
	@$(BIN)/actae serve --dev

test: $(READY) ## Run the tests on a real PostgreSQL that they start themselves
	$(BIN)/python -m pytest -m "not slow" -n 2 $(TESTS)

test-crash: $(READY) ## Run the long half as well: kills at random moments, under load
	$(BIN)/python -m pytest -m "slow" $(TESTS)

check: $(READY) ## Lint, format, types, layers, SQL, generated files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/generate_sync.py --check
	$(BIN)/python tools/generate_reference.py --check
	$(BIN)/python tools/console_digest.py --check
	$(BIN)/python tools/tidy.py
	$(BIN)/squawk --config .squawk.toml src/actae/sql/migrations/*.sql

generate: $(READY) ## Rewrite what is generated: the blocking client, the reference pages
	$(BIN)/python tools/generate_sync.py
	$(BIN)/python tools/generate_reference.py

format: $(READY) ## Format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

console: $(READY) $(PACKAGES) ## Build the web console; needs Node 20 or newer, which nothing else does
	cd console && npm run build
	$(BIN)/python tools/console_digest.py

console-test: $(PACKAGES) ## Check the console's types and run its tests; needs Node
	cd console && npm run check

$(PACKAGES): console/package-lock.json
	cd console && npm ci

bench: $(READY) ## Measure against raw PostgreSQL in the same run
	@$(BIN)/python -m benchmarks

evidence: $(READY) ## Repeat the dry evidence on forks: tokens and fidelity
	$(BIN)/python -m evidence

evidence-local: $(READY) ## Repeat the evidence with a small real model on this machine, without a network
	$(BIN)/python -m evidence local

evidence-crash: $(READY) ## Repeat the evidence on crashes: an agent with four memories, killed everywhere
	@$(BIN)/python -m evidence crash

ci: check test ## What CI runs

clean: ## Remove what make made
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
