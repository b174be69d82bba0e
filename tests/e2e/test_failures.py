"""Nothing is lost and nothing is doubled, whatever happens on the way."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from tests.e2e.browsing import WINNING, Visitor, shows, tells

if TYPE_CHECKING:
    from playwright.sync_api import APIResponse, Route

pytestmark = pytest.mark.slow

ACTIONS = "**/v1/games/*/actions"
GAME = "**/v1/games/*"


@pytest.fixture
def playing(visitor: Visitor) -> Visitor:
    """At the table, with a network that may fail."""
    visitor.excused.append("Failed to load resource")
    visitor.begin(WINNING)
    visitor.settled(0)
    return visitor


def history(visitor: Visitor) -> list[str | None]:
    """Return the actions that the server holds."""
    entries = visitor.server.get(f"/v1/games/{visitor.game_id}/history").json["history"]
    return [entry["action"] for entry in entries]


def test_a_move_made_without_network_is_played_once_when_it_is_back(playing: Visitor) -> None:
    playing.card("6D").click()
    playing.profile.set_offline(offline=True)
    playing.choice("equip:6D").click()
    tells(playing.notice, "No connection to the server. Nothing is lost")
    playing.profile.set_offline(offline=False)
    playing.settled(1)
    assert history(playing) == [None, "equip:6D"]
    playing.notice.wait_for(state="hidden")


def test_a_move_whose_answer_is_lost_is_played_once(playing: Visitor) -> None:
    lost: list[APIResponse] = []

    def lose_the_first_answer(route: Route) -> None:
        if route.request.method != "POST" or lost:
            route.continue_()
            return
        lost.append(route.fetch())
        route.abort()

    playing.page.route(ACTIONS, lose_the_first_answer)
    playing.click("equip:6D")
    playing.settled(1)
    assert history(playing) == [None, "equip:6D"]
    tells(playing.page.locator(".tale"), "You took up the mace")
    assert len(lost) == 1


@pytest.mark.parametrize(
    ("status", "code", "told"),
    [
        (429, "rate_limited", "The server asks for a little patience."),
        (503, "store_unavailable", "The server cannot get at the games just now."),
    ],
)
def test_a_server_that_asks_for_patience_gets_the_same_move_again(
    playing: Visitor, status: int, code: str, told: str
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
    tells(playing.notice, told)
    playing.settled(1)
    assert history(playing) == [None, "equip:6D"]
    assert len(set(sent)) == 1


def patient(playing: Visitor, pattern: str, method: str, seconds: int) -> list[float]:
    """Refuse the first request of a kind for so long; return a list of when each one came."""
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


def test_a_move_is_not_sent_again_before_the_server_wants_it(playing: Visitor) -> None:
    times = patient(playing, ACTIONS, "POST", 4)
    playing.click("equip:6D")
    tells(playing.notice, "Going on in 4 s")
    playing.settled(1)
    assert len(times) == 2
    assert times[1] - times[0] >= 3.9


def test_nobody_looks_again_before_the_server_wants_it(playing: Visitor) -> None:
    times = patient(playing, GAME, "GET", 5)
    tells(playing.notice, "Going on in 5 s")
    playing.notice.wait_for(state="hidden")
    assert len(times) == 2
    assert times[1] - times[0] >= 4.9


def test_however_long_the_server_wants_to_be_left_alone_it_is(playing: Visitor) -> None:
    times = patient(playing, ACTIONS, "POST", 40)
    playing.click("equip:6D")
    tells(playing.notice, "Going on in 40 s")
    assert len(times) == 1


def test_a_second_click_while_a_move_is_under_way_does_nothing(playing: Visitor) -> None:
    playing.card("6D").click()
    playing.profile.set_offline(offline=True)
    for _ in range(2):
        playing.choice("equip:6D").dispatch_event("click")
    playing.page.keyboard.press("a")
    playing.profile.set_offline(offline=False)
    playing.settled(1)
    assert history(playing) == [None, "equip:6D"]


def test_a_new_game_whose_answer_is_lost_is_created_once(visitor: Visitor) -> None:
    visitor.excused.append("Failed to load resource")
    created: list[str] = []
    keys: list[str] = []

    def lose_the_first_answer(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        answer = route.fetch()
        created.append(answer.json()["id"])
        if len(created) == 1:
            route.abort()
        else:
            route.fulfill(response=answer)

    visitor.open()
    visitor.page.route("**/v1/games", lose_the_first_answer)
    visitor.page.get_by_role("button", name="Enter the dungeon").click()
    visitor.settled(0)
    assert (len(created), set(created)) == (2, {visitor.game_id})
    assert len(set(keys)) == 1


def test_a_page_that_cannot_reach_the_server_says_so_and_comes_back(playing: Visitor) -> None:
    playing.profile.set_offline(offline=True)
    tells(playing.notice, "No connection to the server.")
    playing.profile.set_offline(offline=False)
    playing.notice.wait_for(state="hidden")


def test_a_link_to_no_game_says_so_and_leads_to_the_start(visitor: Visitor) -> None:
    visitor.excused.append("404")
    visitor.open("#game=AAAAAAAAAAAAAAAAAAAAAA")
    shows(visitor.page.locator("h1"), "This game is not here")
    visitor.page.get_by_role("link", name="To the start", exact=True).click()
    visitor.page.locator(".start").wait_for()


def test_a_name_that_the_server_refuses_is_named_at_its_field(visitor: Visitor) -> None:
    visitor.excused.append("422")
    visitor.open()
    visitor.page.evaluate("document.querySelector('#player').removeAttribute('maxlength')")
    visitor.page.fill("#player", "x" * 30)
    visitor.page.get_by_role("button", name="Enter the dungeon").click()
    tells(visitor.page.get_by_role("alert"), "The name takes 1 to 24 characters")
    assert visitor.focused("id") == "player"


def test_a_seed_that_is_none_is_named_at_its_field(visitor: Visitor) -> None:
    visitor.excused.append("422")
    visitor.open()
    visitor.page.locator(".begin summary").click()
    visitor.page.fill("#seed", "no spaces")
    visitor.page.get_by_role("button", name="Enter the dungeon").click()
    tells(visitor.page.get_by_role("alert"), "The seed takes 1 to 64 characters")


def test_a_browser_without_storage_plays_all_the_same(visitor: Visitor) -> None:
    visitor.profile.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('off'); }})"
    )
    visitor.begin(WINNING)
    visitor.play(["equip:6D"])


def test_an_event_and_an_action_of_a_later_version_do_no_harm(playing: Visitor) -> None:
    def from_the_future(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        body["events"] = [{"type": "trumpets_sounded", "loud": True}, *body["events"]]
        body["colour"] = "green"
        body["actions"] = [*body["actions"], "sing:5S"]
        route.fulfill(response=answer, json=body)

    playing.page.route(
        ACTIONS,
        lambda route: (
            from_the_future(route) if route.request.method == "POST" else route.continue_()
        ),
    )
    playing.click("equip:6D")
    playing.page.locator(".table[data-version='1']").wait_for()
    playing.card("5S").click()
    tells(playing.choice("sing:5S"), "Sing")
