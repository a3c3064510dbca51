# Everything a person does with a checkout. `make` alone lists it.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
PORT ?= 3000
ARGS ?=
BIN := .venv/bin
BIN2 := .venv-duckdb2/bin
export DAGSTER_HOME := $(CURDIR)/.dagster
export DAGSTER_DISABLE_TELEMETRY := yes
export RUNTIME__DLTHUB_TELEMETRY := false
PIP_INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-input -c requirements.lock

.PHONY: help demo ui test test-ui test-proof test-slow test-databases bench-belief test-duckdb2 lint clean env env-dev home browser databases

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: env home ## build everything on the demo data, then a short tour (ARGS=--json for machines)
	@$(BIN)/python -m dagster_project.demo $(ARGS)

ui: env home ## the Dagster UI on http://127.0.0.1:3000 (PORT=...)
	@$(BIN)/python examples/demo/prepare.py
	@echo "Dagster UI: http://127.0.0.1:$(PORT)  (Ctrl-C ends it)"
	@exec $(BIN)/python -W ignore -m dagster dev --workspace workspace.yaml --host 127.0.0.1 --port $(PORT) --log-level warning

test: env-dev ## all tests but those of the UI, of servers and the slow ones, in two processes (ARGS=tests/sources)
	@$(BIN)/python -m pytest -n 2 --dist loadfile $(ARGS)

test-ui: env-dev browser ## the Dagster UI in headless Chromium
	@$(BIN)/python -m pytest -m ui tests/ui

test-proof: env-dev ## belief against an oracle, planted bugs, kill -9 and query plans (minutes)
	@$(BIN)/python -m pytest -m 'proof and not slow' $(or $(ARGS),tests/temporal)

test-databases: env-dev databases ## sources on real PostgreSQL and MariaDB servers that the tests start
	@$(BIN)/python -m pytest -m databases $(or $(ARGS),tests/sources)

test-slow: env-dev ## the tests that take minutes, such as kill -9 at 20 moments
	@$(BIN)/python -m pytest -m slow

bench-belief: env-dev ## ratios of the belief engine, 2M keys (ARGS='--keys 20000' for a minute; benchmarks/README.md)
	@$(BIN)/python benchmarks/belief.py $(ARGS)

test-duckdb2: env-dev ## the tests of belief on DuckDB 2.0 (but those of its plans), in an environment that differs in nothing else
	@[ -x $(BIN2)/python ] || { $(BIN)/python -m venv .venv-duckdb2 && $(BIN2)/python -m pip install -qq --disable-pip-version-check \
	  --no-input --no-deps 'duckdb>=2.0,<2.1' && echo "import site; site.addsitedir('$$(ls -d $(CURDIR)/.venv/lib/python*/site-packages)')" \
	  > $$(ls -d .venv-duckdb2/lib/python*/site-packages)/all_else.pth; } || { rm -rf .venv-duckdb2; exit 1; }
	@$(BIN2)/python -m pytest $(or $(ARGS),-m "not slow" tests/temporal tests/identity -k 'not plan')

lint: env-dev ## ruff and mypy
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

clean: ## remove what the demo built and all caches; the environment .venv stays
	@rm -rf data .dagster .pytest_cache .mypy_cache .ruff_cache .hypothesis dist
	@find . -name __pycache__ -type d -not -path './.venv*' -prune -exec rm -rf {} +

# --- environment: made once, made again when the declared or locked versions change ---------------------------------

env: $(BIN)/.installed
env-dev: $(BIN)/.installed-dev

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Python 3.11 or newer is needed; '$(PYTHON)' is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Making the environment .venv (once)"
	@$(PYTHON) -m venv .venv || { rm -rf .venv; echo "python3 -m venv failed; on Debian: apt-get install python3-venv" >&2; exit 1; }

$(BIN)/.installed: pyproject.toml requirements.lock | $(BIN)/python
	@if [ -e $(BIN)/.installed-dev ]; then $(MAKE) env-dev; else \
	  echo "Installing the pipeline (once, a few minutes)"; $(PIP_INSTALL) -e '.[pipeline,mcp]'; fi
	@touch $@

$(BIN)/.installed-dev: pyproject.toml requirements.lock | $(BIN)/python
	@echo "Installing the pipeline and the test tools (once, a few minutes)"
	@$(PIP_INSTALL) -e '.[dev]'
	@touch $@ $(BIN)/.installed

home:
	@mkdir -p .dagster
	@ln -sfn ../dagster.yaml .dagster/dagster.yaml

browser:
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing chromium (once)"; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
	      chromium chromium-driver fonts-dejavu-core >/dev/null; \
	  else \
	    echo "The UI test needs chromium and chromedriver. On Debian: sudo apt-get install chromium chromium-driver fonts-dejavu-core" >&2; \
	    exit 1; \
	  fi; }

databases:
	@{ command -v postgres || ls /usr/lib/postgresql/*/bin/postgres; } >/dev/null 2>&1 && \
	  { command -v mariadbd || ls /usr/sbin/mariadbd; } >/dev/null 2>&1 || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing PostgreSQL and MariaDB (once)"; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
	      postgresql mariadb-server >/dev/null; \
	  else \
	    echo "The tests of databases need PostgreSQL and MariaDB. On Debian: sudo apt-get install postgresql mariadb-server" >&2; \
	    exit 1; \
	  fi; }
