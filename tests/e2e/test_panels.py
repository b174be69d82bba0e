"""What opens over the game: rules, ledger, runs, piles and credits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.browsing import LOSING, WINNING, Visitor, act, careful, create, shows, tells

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator

    from tests.playing import Record
    from tests.servers import ApiServer

pytestmark = pytest.mark.slow


def play_without_the_page(server: ApiServer, game: Record, player: str) -> str:
    """Play a whole game and return its id."""
    game_id: str = create(server, {**game.new_game, "player": player})["id"]
    for version, action in enumerate(game.actions):
        act(server, game_id, version, action)
    return game_id


def panel(visitor: Visitor, button: str) -> Locator:
    """Open a panel by its button."""
    visitor.page.get_by_role("button", name=button).click()
    dialog = visitor.page.get_by_role("dialog")
    dialog.locator(".body:not([aria-busy]) > *").first.wait_for()
    return dialog


def test_the_rules_of_the_games_ruleset_are_shown_in_full(visitor: Visitor) -> None:
    visitor.begin(careful("e2e-rules", "strict"))
    ruleset = visitor.server.get("/v1/rulesets/strict").json
    dialog = panel(visitor, "Rules")
    text = dialog.inner_text()
    for section in ruleset["rules"]:
        assert section["heading"] in text
        for paragraph in section["paragraphs"]:
            assert paragraph in text


def test_the_rules_name_what_a_custom_game_plays_differently(visitor: Visitor) -> None:
    visitor.begin(LOSING, health=30)
    visitor.settled(0)
    dialog = panel(visitor, "Rules")
    tells(dialog.locator(".house"), "Health at the start, and at most30")


def test_the_game_is_as_it_was_after_the_rules_are_read(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    visitor.play(["equip:6D"])
    panel(visitor, "Rules")
    visitor.page.get_by_role("button", name="Close").click()
    visitor.play(["fight:AS:weapon"], start=1)


def test_the_ledger_shows_the_finished_game_far_below_the_top(visitor: Visitor) -> None:
    seed = "e2e-ledger"
    best = careful(seed)
    for i in range(12):
        play_without_the_page(visitor.server, best, f"Rival {i}")
    visitor.begin(best._replace(actions=()), player="Robin")
    while not visitor.page.locator(".end").count():
        visitor.page.locator(".room .card").first.click()
        visitor.page.locator(".choice .act").last.click()
        visitor.page.locator(".table:not(.busy)").wait_for()
    dialog = panel(visitor, "See the ledger")
    mine = dialog.locator("[aria-current]")
    tells(mine, "Robin")
    assert visitor.server.get(f"/v1/games/{visitor.game_id}/score").json["rank"] == 13
    shows(mine.locator(".place"), "13")


def test_a_line_of_the_ledger_leads_to_its_game(visitor: Visitor) -> None:
    game_id = play_without_the_page(visitor.server, LOSING, "Sam")
    visitor.open(f"#game={game_id}")
    dialog = panel(visitor, "See the ledger")
    dialog.locator("[aria-current] a").click()
    dialog.wait_for(state="detached")
    assert visitor.game_id == game_id


def test_the_ledger_of_each_ruleset_can_be_looked_at(visitor: Visitor) -> None:
    visitor.open()
    dialog = panel(visitor, "Ledger")
    dialog.get_by_role("combobox").select_option("strict")
    tells(dialog.locator(".board"), "Nobody has finished a run here yet.")


def test_the_runs_of_this_browser_are_listed_with_the_best(
    visitors: Callable[..., Visitor],
) -> None:
    player, stranger = visitors(), visitors()
    player.begin(LOSING)
    player.play(LOSING.actions)
    player.open()
    shows(player.page.locator(".best b"), "−171")
    player.page.locator("#runs").click()
    tells(player.page.get_by_role("dialog"), "Best −171, 0 of 1 won")
    stranger.open()
    assert stranger.page.locator(".best").count() == 0


def test_clear_scores_clears_only_this_browsers_list(visitor: Visitor) -> None:
    visitor.begin(LOSING)
    visitor.play(LOSING.actions)
    game_id = visitor.game_id
    visitor.page.locator("#runs").click()
    dialog = visitor.page.get_by_role("dialog")
    tells(dialog, "−171")
    dialog.get_by_role("button", name="Clear scores").click()
    tells(dialog, "Clear one score for good?")
    dialog.get_by_role("button", name="Keep them").click()
    tells(dialog, "−171")
    dialog.get_by_role("button", name="Clear scores").click()
    dialog.get_by_role("button", name="Yes, clear").click()
    visitor.page.locator("#runs").click()
    tells(visitor.page.get_by_role("dialog"), "No runs yet in this browser.")
    assert visitor.server.get(f"/v1/games/{game_id}/score").json["rank"] is not None


def test_the_piles_tell_what_is_known_of_them(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    visitor.play(["avoid"])
    visitor.page.locator(".dungeon .pile").click()
    dialog = visitor.page.get_by_role("dialog", name="The dungeon")
    state = visitor.state()
    assert dialog.locator("li").count() == len(state["unseen"]) + 4
    tells(dialog, "At the bottom, for you avoided it")


def test_the_credits_name_all_makers_and_give_all_links(visitor: Visitor) -> None:
    visitor.open()
    dialog = panel(visitor, "Credits")
    text = dialog.inner_text()
    for ruleset in visitor.server.get("/v1/rulesets").json["rulesets"]:
        for credit in ruleset["credits"]:
            assert credit["name"] in text
        for link in ruleset["links"]:
            assert dialog.locator(f"a[href='{link['url']}']").count() == 1


def test_a_panel_that_cannot_be_filled_offers_to_try_again(visitor: Visitor) -> None:
    visitor.excused.append("Failed to load resource")
    visitor.open()
    visitor.page.route("**/v1/ledger*", lambda route: route.abort())
    dialog = panel(visitor, "Ledger")
    tells(dialog, "The ledger cannot be read just now.")
    visitor.page.unroute("**/v1/ledger*")
    dialog.get_by_role("button", name="Try again").click()
    tells(dialog.locator(".board"), "run")
