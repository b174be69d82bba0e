"""The settings of logs and proxies: what they take, and what they change."""

from __future__ import annotations

import logging

import pytest

from api import create_app
from api.settings import SettingsError, load

STORE = {"REDIS_URL": "redis://nowhere:1"}


@pytest.mark.parametrize("wanted", ["plain", "json"])
def test_a_log_is_plain_or_json(wanted: str) -> None:
    assert load({"LOG": wanted}).log == wanted


@pytest.mark.parametrize("wanted", ["JSON", "text", "1"])
def test_another_log_is_refused(wanted: str) -> None:
    with pytest.raises(SettingsError, match="SCOUNDREL_LOG must be one of plain, json"):
        load({"LOG": wanted})


@pytest.mark.parametrize("hops", ["-1", "10", "all"])
def test_proxies_are_counted_from_none_to_nine(hops: str) -> None:
    assert (load({}).proxy_hops, load({"PROXY_HOPS": "9"}).proxy_hops) == (0, 9)
    with pytest.raises(SettingsError, match="SCOUNDREL_PROXY_HOPS"):
        load({"PROXY_HOPS": hops})


@pytest.mark.parametrize(
    ("hops", "prefix", "link"),
    [
        (0, "/a", "/docs/problems#not_found"),
        (1, "/a", "/a/docs/problems#not_found"),
        (2, "/b, /a", "/b/docs/problems#not_found"),
    ],
)
def test_the_prefix_is_that_of_the_outermost_proxy_believed(
    hops: int, prefix: str, link: str
) -> None:
    app = create_app({**STORE, "PROXY_HOPS": hops})
    reply = app.test_client().get("/nothing", headers={"X-Forwarded-Prefix": prefix})
    assert reply.get_json()["type"] == link


def test_a_plain_log_says_nothing_of_a_request(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        create_app({**STORE, "LOG": "plain"}).test_client().get("/livez")
    assert [record for record in caplog.records if record.name.startswith("api")] == []
    assert "livez" not in "".join(capfd.readouterr())


def test_trouble_is_told_in_json_with_the_requests_id(capfd: pytest.CaptureFixture[str]) -> None:
    client = create_app({**STORE, "LOG": "json"}).test_client()
    client.get("/v1/games/unknown", headers={"X-Request-ID": "in-trouble"})
    printed = capfd.readouterr().out
    assert printed.count('"request_id": "in-trouble"') == 1
    assert '"level": "warning"' in printed
