"""The panels: rules, ledger, runs, piles and credits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.browsing import (
    LOSING,
    WINNING,
    Visitor,
    act,
    careful,
    create,
    expect_contains,
    expect_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator

    from tests.playing import Record
    from tests.servers import ApiServer

pytestmark = pytest.mark.slow


def play_by_api(server: ApiServer, game: Record, player: str) -> str:
    """Play a whole game directly at the API and return its id."""
    game_id: str = create(server, {**game.new_game, "player": player})["id"]
    for version, action in enumerate(game.actions):
        act(server, game_id, version, action)
    return game_id


def open_panel(visitor: Visitor, button: str) -> Locator:
    """Open a panel by its button."""
    visitor.page.get_by_role("button", name=button).click()
    dialog = visitor.page.get_by_role("dialog")
    dialog.locator(".body:not([aria-busy]) > *").first.wait_for()
    return dialog


def test_the_full_rules_of_the_games_ruleset_are_shown(visitor: Visitor) -> None:
    visitor.begin(careful("e2e-rules", "strict"))
    ruleset = visitor.server.get("/v1/rulesets/strict").json
    dialog = open_panel(visitor, "Rules")
    text = dialog.inner_text()
    for section in ruleset["rules"]:
        assert section["heading"] in text
        for paragraph in section["paragraphs"]:
            assert paragraph in text


def test_the_rules_list_the_house_rules_of_a_custom_game(visitor: Visitor) -> None:
    visitor.begin(LOSING, health=30)
    visitor.wait_for_version(0)
    dialog = open_panel(visitor, "Rules")
    expect_contains(dialog.locator(".house"), "Starting and maximum health30")


def test_reading_the_rules_does_not_change_the_game(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    visitor.play(["equip:6D"])
    open_panel(visitor, "Rules")
    visitor.page.get_by_role("button", name="Close").click()
    visitor.play(["fight:AS:weapon"], start=1)


def test_the_ledger_shows_a_finished_game_below_its_first_page(visitor: Visitor) -> None:
    seed = "e2e-ledger"
    best = careful(seed)
    for i in range(12):
        play_by_api(visitor.server, best, f"Rival {i}")
    visitor.begin(best._replace(actions=()), player="Robin")
    while not visitor.page.locator(".end").count():
        visitor.page.locator(".room .card").first.click()
        visitor.page.locator(".choice .act").last.click()
        visitor.page.locator(".table:not(.busy)").wait_for()
    dialog = open_panel(visitor, "See the ledger")
    mine = dialog.locator("[aria-current]")
    expect_contains(mine, "Robin")
    assert visitor.server.get(f"/v1/games/{visitor.game_id}/score").json["rank"] == 13
    expect_text(mine.locator(".place"), "13")


def test_an_entry_of_the_ledger_links_to_its_game(visitor: Visitor) -> None:
    game_id = play_by_api(visitor.server, LOSING, "Sam")
    visitor.open(f"#game={game_id}")
    dialog = open_panel(visitor, "See the ledger")
    dialog.locator("[aria-current] a").click()
    dialog.wait_for(state="detached")
    assert visitor.game_id == game_id


def test_the_ledger_shows_the_board_of_each_ruleset(visitor: Visitor) -> None:
    visitor.open()
    dialog = open_panel(visitor, "Ledger")
    dialog.get_by_role("combobox").select_option("strict")
    expect_contains(dialog.locator(".board"), "Nobody has finished a run here yet.")


def test_the_runs_of_this_browser_are_listed_with_the_best(
    visitors: Callable[..., Visitor],
) -> None:
    player, stranger = visitors(), visitors()
    player.begin(LOSING)
    player.play(LOSING.actions)
    player.open()
    expect_text(player.page.locator(".best b"), "−171")
    player.page.locator("#runs").click()
    expect_contains(player.page.get_by_role("dialog"), "Best −171, 0 of 1 won")
    stranger.open()
    assert stranger.page.locator(".best").count() == 0


def test_clear_scores_clears_only_this_browsers_list(visitor: Visitor) -> None:
    visitor.begin(LOSING)
    visitor.play(LOSING.actions)
    game_id = visitor.game_id
    visitor.page.locator("#runs").click()
    dialog = visitor.page.get_by_role("dialog")
    expect_contains(dialog, "−171")
    dialog.get_by_role("button", name="Clear scores").click()
    expect_contains(dialog, "Clear one score for good?")
    dialog.get_by_role("button", name="Keep them").click()
    expect_contains(dialog, "−171")
    dialog.get_by_role("button", name="Clear scores").click()
    dialog.get_by_role("button", name="Yes, clear").click()
    visitor.page.locator("#runs").click()
    expect_contains(visitor.page.get_by_role("dialog"), "No runs yet in this browser.")
    assert visitor.server.get(f"/v1/games/{game_id}/score").json["rank"] is not None


def test_the_dungeon_panel_lists_its_known_cards(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    visitor.play(["avoid"])
    visitor.page.locator(".dungeon .pile").click()
    dialog = visitor.page.get_by_role("dialog", name="The dungeon")
    state = visitor.state()
    assert dialog.locator("li").count() == len(state["unseen"]) + 4
    expect_contains(dialog, "At the bottom: the room you avoided")


def test_the_credits_list_all_authors_and_links(visitor: Visitor) -> None:
    visitor.open()
    dialog = open_panel(visitor, "Credits")
    text = dialog.inner_text()
    for ruleset in visitor.server.get("/v1/rulesets").json["rulesets"]:
        for credit in ruleset["credits"]:
            assert credit["name"] in text
        for link in ruleset["links"]:
            assert dialog.locator(f"a[href='{link['url']}']").count() == 1


def test_a_panel_that_cannot_be_loaded_offers_to_try_again(visitor: Visitor) -> None:
    visitor.expected_errors.append("Failed to load resource")
    visitor.open()
    visitor.page.route("**/v1/ledger*", lambda route: route.abort())
    dialog = open_panel(visitor, "Ledger")
    expect_contains(dialog, "The ledger cannot be loaded right now.")
    visitor.page.unroute("**/v1/ledger*")
    dialog.get_by_role("button", name="Try again").click()
    expect_contains(dialog.locator(".board"), "run")
