"""The settings for logs and proxies: their values and effects."""

from __future__ import annotations

import logging

import pytest

from api import create_app
from api.settings import SettingsError, load

STORE = {"REDIS_URL": "redis://nowhere:1"}


@pytest.mark.parametrize("value", ["plain", "json"])
def test_the_log_is_plain_or_json(value: str) -> None:
    assert load({"LOG": value}).log == value


@pytest.mark.parametrize("value", ["JSON", "text", "1"])
def test_other_values_of_the_log_are_refused(value: str) -> None:
    with pytest.raises(SettingsError, match="SCOUNDREL_LOG must be one of plain, json"):
        load({"LOG": value})


@pytest.mark.parametrize("hops", ["-1", "10", "all"])
def test_the_number_of_proxies_is_0_to_9(hops: str) -> None:
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
def test_the_prefix_is_that_of_the_outermost_trusted_proxy(
    hops: int, prefix: str, link: str
) -> None:
    app = create_app({**STORE, "PROXY_HOPS": hops})
    reply = app.test_client().get("/nothing", headers={"X-Forwarded-Prefix": prefix})
    assert reply.get_json()["type"] == link


def test_a_plain_log_has_no_requests(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        create_app({**STORE, "LOG": "plain"}).test_client().get("/livez")
    assert [record for record in caplog.records if record.name.startswith("api")] == []
    assert "livez" not in "".join(capfd.readouterr())


def test_a_warning_in_the_json_log_has_the_request_id(capfd: pytest.CaptureFixture[str]) -> None:
    client = create_app({**STORE, "LOG": "json"}).test_client()
    client.get("/v1/games/unknown", headers={"X-Request-ID": "in-trouble"})
    printed = capfd.readouterr().out
    assert printed.count('"request_id": "in-trouble"') == 1
    assert '"level": "warning"' in printed
