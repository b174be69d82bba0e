"""Faults: no move is lost or applied twice."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from tests.e2e.browsing import WINNING, Visitor, expect_contains, expect_text

if TYPE_CHECKING:
    from playwright.sync_api import APIResponse, Route

pytestmark = pytest.mark.slow

ACTIONS = "**/v1/games/*/actions"
GAME = "**/v1/games/*"


@pytest.fixture
def playing(visitor: Visitor) -> Visitor:
    """A visitor in a game, with a network that may fail."""
    visitor.expected_errors.append("Failed to load resource")
    visitor.begin(WINNING)
    visitor.wait_for_version(0)
    return visitor


def history(visitor: Visitor) -> list[str | None]:
    """Return the actions in the server's history."""
    entries = visitor.server.get(f"/v1/games/{visitor.game_id}/history").json["history"]
    return [entry["action"] for entry in entries]


def test_an_offline_move_is_played_once_after_reconnecting(playing: Visitor) -> None:
    playing.card("6D").click()
    playing.profile.set_offline(offline=True)
    playing.choice("equip:6D").click()
    expect_contains(playing.notice, "No connection to the server. Nothing is lost")
    playing.profile.set_offline(offline=False)
    playing.wait_for_version(1)
    assert history(playing) == [None, "equip:6D"]
    playing.notice.wait_for(state="hidden")


def test_a_move_whose_response_is_lost_is_played_once(playing: Visitor) -> None:
    lost: list[APIResponse] = []

    def lose_the_first_response(route: Route) -> None:
        if route.request.method != "POST" or lost:
            route.continue_()
            return
        lost.append(route.fetch())
        route.abort()

    playing.page.route(ACTIONS, lose_the_first_response)
    playing.click("equip:6D")
    playing.wait_for_version(1)
    assert history(playing) == [None, "equip:6D"]
    expect_contains(playing.page.locator(".tale"), "You equipped the mace")
    assert len(lost) == 1


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (429, "rate_limited", "The server is busy."),
        (503, "store_unavailable", "The server cannot load games right now."),
    ],
)
def test_a_rejected_move_is_repeated_unchanged(
    playing: Visitor, status: int, code: str, message: str
) -> None:
    sent: list[str | None] = []

    def refuse_twice(route: Route) -> None:
        if route.request.method != "POST":
            route.continue_()
            return
        sent.append(route.request.post_data)
        if len(sent) > 2:
            route.continue_()
            return
        route.fulfill(
            status=status,
            content_type="application/problem+json",
            headers={"Retry-After": "1"},
            body=json.dumps({"status": status, "code": code, "title": "Later", "detail": "Later"}),
        )

    playing.page.route(ACTIONS, refuse_twice)
    playing.click("equip:6D")
    expect_contains(playing.notice, message)
    playing.wait_for_version(1)
    assert history(playing) == [None, "equip:6D"]
    assert len(set(sent)) == 1


def limit_rate(playing: Visitor, pattern: str, method: str, seconds: int) -> list[float]:
    """Reject the first request of a kind with ``Retry-After``; return the times of all."""
    times: list[float] = []

    def refuse_once(route: Route) -> None:
        if route.request.method != method:
            route.continue_()
            return
        times.append(time.monotonic())
        if len(times) > 1:
            route.continue_()
            return
        problem = {"status": 429, "code": "rate_limited", "title": "Later", "detail": "Later"}
        route.fulfill(
            status=429,
            content_type="application/problem+json",
            headers={"Retry-After": str(seconds)},
            body=json.dumps(problem),
        )

    playing.page.route(pattern, refuse_once)
    return times


def test_a_move_is_not_repeated_before_retry_after(playing: Visitor) -> None:
    times = limit_rate(playing, ACTIONS, "POST", 4)
    playing.click("equip:6D")
    expect_contains(playing.notice, "Trying again in 4 s")
    playing.wait_for_version(1)
    assert len(times) == 2
    assert times[1] - times[0] >= 3.9


def test_polling_pauses_until_retry_after(playing: Visitor) -> None:
    times = limit_rate(playing, GAME, "GET", 5)
    expect_contains(playing.notice, "Trying again in 5 s")
    playing.notice.wait_for(state="hidden")
    assert len(times) == 2
    assert times[1] - times[0] >= 4.9


def test_a_long_retry_after_is_not_cut_short(playing: Visitor) -> None:
    times = limit_rate(playing, ACTIONS, "POST", 40)
    playing.click("equip:6D")
    expect_contains(playing.notice, "Trying again in 40 s")
    assert len(times) == 1


def test_a_second_click_during_a_request_does_nothing(playing: Visitor) -> None:
    playing.card("6D").click()
    playing.profile.set_offline(offline=True)
    for _ in range(2):
        playing.choice("equip:6D").dispatch_event("click")
    playing.page.keyboard.press("a")
    playing.profile.set_offline(offline=False)
    playing.wait_for_version(1)
    assert history(playing) == [None, "equip:6D"]


def test_a_new_game_whose_response_is_lost_is_created_once(visitor: Visitor) -> None:
    visitor.expected_errors.append("Failed to load resource")
    created: list[str] = []
    keys: list[str] = []

    def lose_the_first_response(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        response = route.fetch()
        created.append(response.json()["id"])
        if len(created) == 1:
            route.abort()
        else:
            route.fulfill(response=response)

    visitor.open()
    visitor.page.route("**/v1/games", lose_the_first_response)
    visitor.page.get_by_role("button", name="Enter the dungeon").click()
    visitor.wait_for_version(0)
    assert (len(created), set(created)) == (2, {visitor.game_id})
    assert len(set(keys)) == 1


def test_an_outage_is_shown_until_it_is_over(playing: Visitor) -> None:
    playing.profile.set_offline(offline=True)
    expect_contains(playing.notice, "No connection to the server.")
    playing.profile.set_offline(offline=False)
    playing.notice.wait_for(state="hidden")


def test_a_link_to_an_unknown_game_shows_an_error_and_leads_to_the_start(visitor: Visitor) -> None:
    visitor.expected_errors.append("404")
    visitor.open("#game=AAAAAAAAAAAAAAAAAAAAAA")
    expect_text(visitor.page.locator("h1"), "Game not found")
    visitor.page.get_by_role("link", name="Back to the start").click()
    visitor.page.locator(".start").wait_for()


def test_an_invalid_name_is_reported_at_its_field(visitor: Visitor) -> None:
    visitor.expected_errors.append("422")
    visitor.open()
    visitor.page.evaluate("document.querySelector('#player').removeAttribute('maxlength')")
    visitor.page.fill("#player", "x" * 30)
    visitor.page.get_by_role("button", name="Enter the dungeon").click()
    (error,) = visitor.server.post("/v1/games", {"player": "x" * 30}).json["errors"]
    expect_contains(visitor.page.get_by_role("alert"), f"The name {error['detail']}")
    assert visitor.focused("id") == "player"


def test_an_invalid_seed_is_reported_at_its_field(visitor: Visitor) -> None:
    visitor.expected_errors.append("422")
    visitor.open()
    visitor.page.locator(".begin summary").click()
    visitor.page.fill("#seed", "no spaces")
    visitor.page.get_by_role("button", name="Enter the dungeon").click()
    (error,) = visitor.server.post("/v1/games", {"seed": "no spaces"}).json["errors"]
    expect_contains(visitor.page.get_by_role("alert"), f"The seed {error['detail']}")


def test_a_browser_without_storage_can_play(visitor: Visitor) -> None:
    visitor.profile.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('off'); }})"
    )
    visitor.begin(WINNING)
    visitor.play(["equip:6D"])


def test_unknown_events_fields_and_actions_are_accepted(playing: Visitor) -> None:
    def add_unknown(route: Route) -> None:
        response = route.fetch()
        body = response.json()
        body["events"] = [{"type": "trumpets_sounded", "loud": True}, *body["events"]]
        body["colour"] = "green"
        body["actions"] = [*body["actions"], "sing:5S"]
        route.fulfill(response=response, json=body)

    playing.page.route(
        ACTIONS,
        lambda route: add_unknown(route) if route.request.method == "POST" else route.continue_(),
    )
    playing.click("equip:6D")
    playing.page.locator(".table[data-version='1']").wait_for()
    playing.card("5S").click()
    expect_contains(playing.choice("sing:5S"), "Sing")
