"""The operator's guide: its tables match the code."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from api import create_app
from api.observe.metrics import Metrics
from api.settings import table
from tests.servers import ROOT

GUIDE = (ROOT / "docs" / "OPERATIONS.md").read_text()


def test_the_table_of_settings_matches_the_code() -> None:
    rows = [
        f"| `{name}` | {f'`{default}`' if default else ''} | {meaning} |"
        for name, default, meaning in table()
    ]
    assert "\n".join(rows) in GUIDE


def test_the_table_of_metrics_matches_the_code() -> None:
    listed = dict(re.findall(r"^\| `(scoundrel_\w+)` \| (.+?) \|", GUIDE, re.MULTILINE))
    collectors = vars(Metrics()).values()
    there = {
        collector._name + ("_total" if collector._type == "counter" else ""): ", ".join(
            f"`{label}`" for label in collector._labelnames
        )
        for collector in collectors
        if hasattr(collector, "_labelnames")
    }
    assert listed == there


def test_every_metric_in_a_query_exists() -> None:
    there = {name.removeprefix("scoundrel_") for name in re.findall(r"`(scoundrel_\w+)`", GUIDE)}
    for name in re.findall(r"scoundrel_(\w+)[{\[]", GUIDE):
        assert name.removesuffix("_bucket") in there


def test_the_table_of_commands_matches_the_code() -> None:
    commands = create_app({"REDIS_URL": "redis://nowhere:1"}).cli.commands["ledger"]
    listed = re.findall(r"^\| `(verify|rebuild|remove|clear)\b", GUIDE, re.MULTILINE)
    assert sorted(listed) == sorted(commands.commands)  # type: ignore[attr-defined]  # a group


def test_the_table_of_compose_variables_matches_the_compose_file() -> None:
    compose: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    used = dict(re.findall(r"\$\{(\w+):?-([^}]*)\}", str(compose)))
    rows = re.search(r"^\| variable \| default \|.*\n(?:\|.*\n)+", GUIDE, re.MULTILINE)
    assert rows
    listed = dict(re.findall(r"^\| `(\w+)` \| `?([^`|]*?)`? \|", rows[0], re.MULTILINE))
    defaults = {name: default for name, default, _meaning in table()}
    assert listed == {name: default or defaults[name] for name, default in used.items()}


@pytest.mark.parametrize("path", re.findall(r"`(?:pytest|python -m) ([\w./]+)`", GUIDE))
def test_every_named_test_and_benchmark_exists(path: str) -> None:
    module = ROOT / (path.replace(".", "/") + ".py")
    assert (ROOT / path).exists() or module.exists()


def test_links_have_a_target() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", GUIDE):
        if target.startswith("#"):
            titles = re.findall(r"^## (.+)$", GUIDE, re.MULTILINE)
            anchors = {re.sub(r"[^a-z -]", "", title.lower()).replace(" ", "-") for title in titles}
            assert target[1:] in anchors
        else:
            assert (ROOT / "docs" / target).exists()
