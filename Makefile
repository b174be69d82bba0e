# PYTHON=python3.12 selects the interpreter for .venv. Without it, an existing .venv is kept, and a
# new one uses python3.

# Half of the suite's time is waiting, so more tests run at once than there are processors.
WORKERS ?= 4

.DEFAULT_GOAL := help
.PHONY: help run test check format openapi bench soak lock audit clean venv venv-dev

run: venv ## start the server: http://127.0.0.1:8000 (PORT=9000 SCOUNDREL_DATA=/some/directory)
	@exec env $(if $(PORT),SCOUNDREL_PORT='$(PORT)') .venv/bin/python -m api.server

test: ## run all checks and tests, including the setup
	@scripts/apt-packages.sh
	@$(MAKE) --no-print-directory check
	@.venv/bin/python -m pytest -n $(WORKERS) --dist loadfile

check: venv-dev ## check format, lint and types; list known vulnerabilities
	@.venv/bin/ruff format --check
	@.venv/bin/ruff check
	@.venv/bin/mypy
	@.venv/bin/python scripts/audit.py --daily .venv/audited

format: venv-dev ## format the code, and apply the linter's fixes
	@.venv/bin/ruff check --fix-only
	@.venv/bin/ruff format

openapi: venv-dev ## write openapi/openapi.json
	@.venv/bin/python -m openapi

bench: venv-dev ## measure: engine, floor, games, memory, scale; ten minutes (requires wrk)
	@for each in engine floor games memory scale; do \
		printf '\n== python -m bench.%s\n' $$each; \
		.venv/bin/python -m bench.$$each || exit; \
	done

soak: venv-dev ## cause random faults while games are played (SECONDS=600 SEED=7)
	@SECONDS='$(SECONDS)' FAULTS_SEED='$(SEED)' .venv/bin/python -m tests.faults.soak

audit: venv-dev ## fail if a pinned package has a known vulnerability or cannot be looked up
	@.venv/bin/python scripts/audit.py

lock: ## pin the requirements (UPGRADE=1 for the newest versions)
	@scripts/lock.sh $(if $(UPGRADE),--upgrade)

clean: ## remove generated files; the games stay
	@rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@rm -rf openapi/lint/node_modules clients/web/tooling/node_modules
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

help:
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 16

venv:
	@scripts/venv.sh requirements.txt

venv-dev:
	@scripts/venv.sh requirements-dev.txt
