"""The contract follows the rules in ``openapi/lint/redocly.yaml``, and the rules find violations.

The linter is Redocly, pinned in ``openapi/lint/package.json``; it requires node.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
LINT = ROOT / "openapi" / "lint"
CONTRACT = ROOT / "openapi" / "openapi.json"
PACKAGE = "node_modules/@redocly/cli"

# No telemetry and no check for updates.
QUIET = {**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def npx() -> str:
    """Return the path of npx after installing the pinned linter."""
    found = shutil.which("npx")
    npm = shutil.which("npm")
    if found is None or npm is None:
        pytest.skip("requires node")
    if installed() != pinned():
        done = subprocess.run(
            [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            cwd=LINT,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            pytest.skip(f"the linter could not be installed: {done.stderr[-300:]}")
    return found


def pinned() -> str:
    version: str = json.loads((LINT / "package-lock.json").read_text())["packages"][PACKAGE][
        "version"
    ]
    return version


def installed() -> str | None:
    package = LINT / PACKAGE / "package.json"
    return json.loads(package.read_text())["version"] if package.exists() else None


def lint(npx: str, document: Path) -> set[tuple[str, str]]:
    """Return the findings of the linter: rule and pointer."""
    done = subprocess.run(
        [
            *(npx, "--no-install", "redocly", "lint", "--config", "redocly.yaml"),
            *("--lint-config", "error", "--max-problems", "1000", "--format", "json"),
            str(document),
        ],
        cwd=LINT,
        env=QUIET,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "{" in done.stdout, done.stdout + done.stderr
    report = json.loads(done.stdout[done.stdout.index("{") :])
    assert bool(report["problems"]) == bool(done.returncode)
    return {
        (problem["ruleId"], problem["location"][0].get("pointer", ""))
        for problem in report["problems"]
    }


def test_the_linter_finds_nothing_in_the_contract(npx: str) -> None:
    assert lint(npx, CONTRACT) == set()


def test_each_custom_rule_finds_its_violation(npx: str, tmp_path: Path) -> None:
    document: dict[str, Any] = json.loads(CONTRACT.read_text())
    del document["security"]
    create = document["paths"]["/v1/games"]["post"]
    create["operationId"] = "create_game"
    create["summary"] = "Create a game."
    del create["description"]
    del create["responses"]["201"]["content"]["application/json"]["examples"]
    del create["parameters"][0]["description"]
    wrong = next(
        iter(create["responses"]["422"]["content"]["application/problem+json"]["examples"])
    )
    del create["responses"]["422"]["content"]["application/problem+json"]["examples"][wrong][
        "value"
    ]["code"]
    schemas = document["components"]["schemas"]
    schemas["Unused"] = {"type": "string"}
    fields = schemas["NewGame"]["properties"]
    fields["camelCase"] = {"type": "string"}
    fields["untyped"] = {"description": "Of no type."}
    fields["either"] = {"oneOf": [{"type": "string"}, {"type": "integer"}]}
    fields["three"] = {"anyOf": [{"type": kind} for kind in ("string", "integer", "null")]}
    del schemas["NewGame"]["additionalProperties"]
    broken = tmp_path / "openapi.json"
    broken.write_text(json.dumps(document))
    assert {rule for rule, _pointer in lint(npx, broken)} == {
        "no-invalid-media-type-examples",
        "no-unused-components",
        "operation-description",
        "parameter-description",
        "rule/responses-have-examples",
        "rule/any-of-is-a-nullable-object",
        "rule/fields-are-snake-case",
        "rule/objects-set-additional-properties",
        "rule/operation-id-is-camel-case",
        "rule/schemas-are-flat",
        "rule/schemas-have-a-type",
        "rule/security-and-servers-are-set",
        "rule/summary-is-not-a-sentence",
        "security-defined",
    }


def test_the_lock_file_has_no_url() -> None:
    assert "://" not in (LINT / "package-lock.json").read_text()
