# What a developer runs. `make help` lists it; .ci/run runs `make test`.
PYTHON ?= python3
BIN := .venv/bin
STEP := @bash tests/step.sh
SHELL := bash

.DEFAULT_GOAL := help
.PHONY: help venv demo test lint types wheel bench soak clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 10

venv: .venv/up-to-date ## the environment in .venv, made again when pyproject.toml changes

# The pip of Python 3.11 does not know --group, so it is renewed first.
.venv/up-to-date: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

demo: venv ## a small conversation in the embedded engine: import, organize, tree, questions; MODEL=NAME asks a model too
	@examples/demo.sh .demo $(MODEL)

test: venv ## everything that .ci/run checks
	$(STEP) "style" $(MAKE) --no-print-directory lint
	$(STEP) "types" $(MAKE) --no-print-directory types
	$(STEP) "tests" $(BIN)/pytest -n 3 --dist loadgroup --no-loadscope-reorder --durations 20 tests/store tests/unit tests/data tests/readme
	$(STEP) "build" $(MAKE) --no-print-directory wheel
	$(STEP) "the wheel alone" env PYTHON=$(BIN)/python tests/wheel/run.sh dist/*.whl
	$(STEP) "the extras" env PYTHON=$(BIN)/python tests/extra/run.sh dist/*.whl

lint: venv ## ruff, the layers of imports, the sizes of functions and files
	$(BIN)/ruff check .
	$(BIN)/python tests/sizes.py
	cd "$$($(BIN)/python tests/installed_layout.py)" && PYTHONPATH=. "$(CURDIR)/$(BIN)/lint-imports" \
		--cache-dir "$(CURDIR)/.import_linter_cache"

types: venv ## mypy, strict
	cd "$$($(BIN)/python tests/installed_layout.py)" && "$(CURDIR)/$(BIN)/mypy" \
		--cache-dir "$(CURDIR)/.mypy_cache" --package trace_graph --package bench --package tools --package tests.engines

wheel: venv ## dist/*.tar.gz, and from it dist/*.whl
	rm -rf dist
	$(BIN)/python -m build --outdir dist . > /dev/null
	@ls dist

bench: venv ## the measurements of this repository; ARGS="..." is passed on
	$(BIN)/python -m bench.run $(ARGS)

soak: venv ## what takes long, on each engine: kills, crowds, large stores, moves; ARGS="--engines arcadedb" is passed on
	$(BIN)/python -m bench.soak $(ARGS)

clean: ## remove what was built, and the environment; downloaded servers in .cache/neo4j stay
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .cache/layout
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
