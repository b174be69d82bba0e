# PYTHON=python3.12 names the interpreter of a new .venv; without it python3 makes one, and any
# that is there will do.

# Half of the suite's time is waiting, so more tests run at once than there are processors.
WORKERS ?= 4

.DEFAULT_GOAL := help
.PHONY: help run test check format openapi bench soak lock audit clean venv venv-dev

run: venv ## play: http://127.0.0.1:8000 (PORT=9000 SCOUNDREL_DATA=/some/directory)
	@exec env $(if $(PORT),SCOUNDREL_PORT='$(PORT)') .venv/bin/python -m api.launcher

test: ## everything that is checked, set up from nothing
	@scripts/apt-packages.sh
	@$(MAKE) --no-print-directory check
	@.venv/bin/python -m pytest -n $(WORKERS) --dist loadfile

check: venv-dev ## format, lint and types; tells of known vulnerabilities
	@.venv/bin/ruff format --check
	@.venv/bin/ruff check
	@.venv/bin/mypy
	@.venv/bin/python scripts/audit.py --daily .venv/audited

format: venv-dev ## lay out the code, and mend what the linter can
	@.venv/bin/ruff check --fix-only
	@.venv/bin/ruff format

openapi: venv-dev ## write the published contract again
	@.venv/bin/python -m openapi

bench: venv-dev ## measure: engine, floor, parts, games, memory, scale; ten minutes (wants wrk)
	@for each in engine floor parts games memory scale; do \
		printf '\n== python -m bench.%s\n' $$each; \
		.venv/bin/python -m bench.$$each || exit; \
	done

soak: venv-dev ## cause faults at random while games are played (SECONDS=600 SEED=7)
	@SECONDS='$(SECONDS)' FAULTS_SEED='$(SEED)' .venv/bin/python -m tests.faults.soak

audit: venv-dev ## fail if a pinned package has a known vulnerability, or cannot be looked up
	@.venv/bin/python scripts/audit.py

lock: ## write the pinned requirements again (UPGRADE=1 for the newest)
	@scripts/lock.sh $(if $(UPGRADE),--upgrade)

clean: ## take away what was made here; the games stay
	@rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@rm -rf openapi/lint/node_modules clients/web/tooling/node_modules
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

help:
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 16

venv:
	@scripts/venv.sh requirements.txt

venv-dev:
	@scripts/venv.sh requirements-dev.txt
