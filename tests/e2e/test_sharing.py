"""One game in several browsers: links, tabs, profiles and locks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.browsing import LOSING, WINNING, Visitor, act, expect_contains, expect_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Route

pytestmark = pytest.mark.slow


def test_a_link_continues_the_game_in_another_profile(
    visitors: Callable[..., Visitor],
) -> None:
    first, second = visitors(), visitors()
    first.profile.grant_permissions(["clipboard-read", "clipboard-write"])
    first.begin(WINNING)
    first.play(["equip:6D"])
    first.page.get_by_role("button", name="Copy Link").click()
    first.page.get_by_text("Link copied").wait_for()
    link = first.page.evaluate("navigator.clipboard.readText()")
    second.page.goto(link)
    second.wait_for_version(1)
    second.play(["fight:AS:weapon"], start=1)
    assert second.health == 12


def test_the_link_is_shown_if_it_cannot_be_copied(visitors: Callable[..., Visitor]) -> None:
    visitor = visitors(permissions=[])
    visitor.profile.add_init_script("navigator.clipboard.writeText = () => Promise.reject()")
    visitor.begin(WINNING)
    visitor.page.get_by_role("button", name="Copy Link").click()
    link = visitor.page.get_by_role("textbox", name="The link").input_value()
    assert link == f"{visitor.address}#game={visitor.game_id}"


def test_a_page_shows_moves_made_elsewhere(
    visitors: Callable[..., Visitor],
) -> None:
    player, guest = visitors(), visitors()
    player.begin(WINNING)
    guest.open(f"#game={player.game_id}")
    player.play(["equip:6D", "fight:AS:weapon"])
    guest.wait_for_version(2)
    assert guest.health == 12
    expect_contains(guest.notice, "The game was just played elsewhere.")
    expect_contains(guest.page.locator("#voice"), "You slew the dragon (A♠) with your weapon.")


def test_two_tabs_of_one_profile_stay_in_step(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    other = visitor.profile.new_page()
    other.goto(visitor.page.url)
    other.locator(".table[data-version='0']").wait_for()
    visitor.page.bring_to_front()
    visitor.play(["equip:6D"])
    other.bring_to_front()
    other.locator(".table[data-version='1']").wait_for()


def test_a_stale_move_shows_the_new_state_and_a_message(visitor: Visitor) -> None:
    visitor.expected_errors.append("409")

    def not_modified(route: Route) -> None:
        route.fulfill(status=304)

    visitor.begin(WINNING)
    visitor.wait_for_version(0)
    visitor.page.route("**/v1/games/*", not_modified)
    act(visitor.server, visitor.game_id, 0, "equip:6D")
    visitor.click("fight:5S:barehanded")
    visitor.wait_for_version(1)
    expect_contains(visitor.notice, "The game was played elsewhere in the meantime.")
    expect_contains(visitor.page.locator(".arm .caption"), "Mace 6, unused")
    assert visitor.health == 20


def test_a_reload_shows_the_current_state(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    visitor.play(["equip:6D", "fight:AS:weapon"])
    visitor.page.reload()
    visitor.wait_for_version(2)
    assert (visitor.health, visitor.room) == (12, ["5S", "JC"])


def test_back_shows_the_start_screen_and_forward_the_game(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    visitor.wait_for_version(0)
    visitor.page.go_back()
    visitor.page.locator(".start").wait_for()
    visitor.page.go_forward()
    visitor.wait_for_version(0)


def test_the_last_game_of_this_browser_can_be_continued(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    visitor.play(["equip:6D"])
    game_id = visitor.game_id
    visitor.open()
    visitor.page.get_by_role("button", name="Continue your last game").click()
    visitor.wait_for_version(1)
    assert visitor.game_id == game_id


def test_a_link_shows_a_finished_game(visitors: Callable[..., Visitor]) -> None:
    player, reader = visitors(), visitors()
    player.begin(LOSING)
    player.play(LOSING.actions)
    reader.open(f"#game={player.game_id}")
    expect_text(reader.page.locator(".end .score b"), "−171")


def test_a_locked_game_can_only_be_watched_without_its_token(
    visitors: Callable[..., Visitor],
) -> None:
    owner, guest = visitors(), visitors()
    owner.begin(WINNING, locked=True)
    guest.open(f"#game={owner.game_id}")
    guest.wait_for_version(0)
    expect_contains(guest.page.locator(".choice"), "only the browser that started it can play")
    guest.card("6D").click()
    assert guest.choice("equip:6D").get_attribute("aria-disabled") == "true"
    guest.page.keyboard.press("e")
    owner.play(["equip:6D"])
    guest.wait_for_version(1)


def test_a_browser_that_lost_the_token_shows_why_it_cannot_play(visitor: Visitor) -> None:
    visitor.expected_errors.append("401")
    visitor.begin(WINNING, locked=True)
    visitor.wait_for_version(0)
    visitor.page.evaluate("localStorage.removeItem('scoundrel.tokens')")
    visitor.click("equip:6D")
    expect_contains(visitor.page.locator(".choice"), "only the browser that started it can play")
    assert visitor.state()["version"] == 0


def test_a_locked_game_can_be_played_after_a_reload(visitor: Visitor) -> None:
    visitor.begin(WINNING, locked=True)
    visitor.page.reload()
    visitor.play(["equip:6D"])


def test_the_token_is_in_no_url(visitor: Visitor) -> None:
    visitor.begin(WINNING, locked=True)
    visitor.play(["equip:6D"])
    (token,) = visitor.page.evaluate(
        "Object.values(JSON.parse(localStorage.getItem('scoundrel.tokens')))"
    )
    assert not [url for url in (*visitor.requests, visitor.page.url) if token in url]


def test_clearing_a_run_forgets_its_token(visitor: Visitor) -> None:
    tokens = "Object.keys(JSON.parse(localStorage.getItem('scoundrel.tokens') ?? '{}'))"
    visitor.begin(LOSING, locked=True)
    visitor.play(LOSING.actions)
    visitor.begin(WINNING, locked=True)
    visitor.wait_for_version(0)
    assert len(visitor.page.evaluate(tokens)) == 2
    visitor.page.locator("#runs").click()
    visitor.page.get_by_role("button", name="Clear scores").click()
    visitor.page.get_by_role("button", name="Yes, clear").click()
    assert visitor.page.evaluate(tokens) == [visitor.game_id]


@pytest.mark.parametrize("locked", [False, True])
def test_a_link_is_shown_with_its_permission(visitor: Visitor, *, locked: bool) -> None:
    visitor.profile.add_init_script("navigator.clipboard.writeText = () => Promise.reject()")
    visitor.begin(WINNING, locked=locked)
    visitor.page.get_by_role("button", name="Copy Link").click()
    permission = "Anyone with the link can watch the game"
    expect_text(
        visitor.page.locator("dialog p"),
        f"{permission}." if locked else f"{permission} and continue it.",
    )
