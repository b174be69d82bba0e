"""The operator's guide names what there is."""

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


def test_every_setting_is_in_its_table() -> None:
    rows = [
        f"| `{name}` | {f'`{default}`' if default else ''} | {meaning} |"
        for name, default, meaning in table()
    ]
    assert "\n".join(rows) in GUIDE


def test_every_metric_is_in_its_table_with_its_labels() -> None:
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


def test_every_metric_named_in_a_query_is_one() -> None:
    there = {name.removeprefix("scoundrel_") for name in re.findall(r"`(scoundrel_\w+)`", GUIDE)}
    for name in re.findall(r"scoundrel_(\w+)[{\[]", GUIDE):
        assert name.removesuffix("_bucket") in there


def test_every_command_is_in_its_table() -> None:
    commands = create_app({"REDIS_URL": "redis://nowhere:1"}).cli.commands["ledger"]
    listed = re.findall(r"^\| `(verify|rebuild|remove|clear)\b", GUIDE, re.MULTILINE)
    assert sorted(listed) == sorted(commands.commands)  # type: ignore[attr-defined]  # a group


def test_every_variable_of_the_compose_file_is_in_its_table() -> None:
    compose: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    used = dict(re.findall(r"\$\{(\w+):?-([^}]*)\}", str(compose)))
    section = GUIDE[GUIDE.index("## In containers") : GUIDE.index("## Without containers")]
    listed = dict(re.findall(r"^\| `(\w+)` \| `?([^`|]*?)`? \|", section, re.MULTILINE))
    defaults = {name: default for name, default, _meaning in table()}
    assert listed == {name: default or defaults[name] for name, default in used.items()}


@pytest.mark.parametrize("path", re.findall(r"`(?:pytest|python -m) ([\w./]+)`", GUIDE))
def test_what_is_said_to_repeat_a_trial_is_there(path: str) -> None:
    module = ROOT / (path.replace(".", "/") + ".py")
    assert (ROOT / path).exists() or module.exists()


def test_each_link_leads_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", GUIDE):
        if target.startswith("#"):
            titles = re.findall(r"^## (.+)$", GUIDE, re.MULTILINE)
            anchors = {re.sub(r"[^a-z -]", "", title.lower()).replace(" ", "-") for title in titles}
            assert target[1:] in anchors
        else:
            assert (ROOT / "docs" / target).exists()
