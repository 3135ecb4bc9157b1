# Everything a developer or a newcomer runs. `make` alone lists it.
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
UV := $(shell command -v uv 2>/dev/null)
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test check bench fmt install install-dev messages assets clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk 'BEGIN {FS = ":.*## "} {printf "  %-12s %s\n", $$1, $$2}'

demo: install ## Install, make the example brain where there is none, start it and open the page
	@echo "cabecao start: the page opens in your browser; Ctrl+C ends it"
	@$(BIN)/cabecao start $(if $(PORT),--port $(PORT))

test: install-dev ## Install what the tests need and run them all
	@echo "running the tests (browser tests need Chromium and are skipped, with a word, where it is missing)"
	@$(BIN)/python -m pytest -n auto -q

check: install-dev ## Lint, types, import floors, migrations, translations, docs
	@$(BIN)/python scripts/check.py

bench: install-dev ## Measure, as ratios inside one run
	@$(BIN)/python -m benchmarks

fmt: install-dev ## Format the code and the templates
	@$(BIN)/ruff check --fix -q . || true
	@$(BIN)/ruff format -q .
	@$(BIN)/djlint brain/web/templates --reformat --quiet || true

messages: install-dev ## Bring the translation catalogues up to date
	@$(BIN)/python scripts/messages.py update
	@$(BIN)/python scripts/messages.py compile

assets: ## Fetch fonts and icons again from the lock (needs npm)
	@cd assets && npm ci --silent && ../.venv/bin/python build.py

install: .venv/.installed ## Install the product into .venv
install-dev: .venv/.installed-dev ## Install the product and the developers' tools into .venv

.venv/.installed: pyproject.toml requirements.txt
	@echo "installing Cabeção into .venv ($(if $(UV),with uv,with venv and pip))"
ifdef UV
	@uv venv --quiet --allow-existing .venv
	@uv pip install --quiet --compile-bytecode --python $(BIN)/python -r requirements.txt
	@uv pip install --quiet --compile-bytecode --python $(BIN)/python --no-deps -e .
else
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
endif
	@$(BIN)/python -m compileall -q brain cabecao_site llm mcpbridge
	@touch $@

.venv/.installed-dev: .venv/.installed requirements-dev.txt
	@echo "installing the developers' tools into .venv"
ifdef UV
	@uv pip install --quiet --compile-bytecode --python $(BIN)/python -r requirements-dev.txt
else
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
endif
	@touch $@

clean: ## Take away what was built; notes are never touched
	@rm -rf .venv dist build .mypy_cache .ruff_cache .pytest_cache .coverage* htmlcov
