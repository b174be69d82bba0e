"""Whole games on the page: by mouse, by keyboard alone, and by touch on a phone."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from tests.e2e.browsing import (
    LANDSCAPE,
    LOSING,
    PHONE,
    WINNING,
    WON,
    Visitor,
    careful,
    expect_contains,
    expect_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

MAX_STEPS = 200


def test_a_game_won_with_the_mouse_shows_its_score_its_rank_and_the_proof(visitor: Visitor) -> None:
    visitor.begin(WINNING, player="Morgan")
    commitment = visitor.state()["commitment"]
    visitor.play(WINNING.actions)
    end = visitor.page.locator(".end.won")
    expect_text(end.locator(".score b"), "19")
    expect_text(end.locator(".sum"), "19 health left")
    ledger = f"/v1/ledger?ruleset=original&seed={WINNING.seed}"
    total = visitor.server.get(ledger).json["total"]
    rank = visitor.server.get(f"/v1/games/{visitor.game_id}/score").json["rank"]
    expect_text(end.locator(".rank"), f"Rank {rank} of {total} among the games with this deck")
    expect_text(end.locator("summary"), "Verified: the deck was fixed from the start")
    end.locator("summary").click()
    facts = {
        name: end.locator(f"[data-fact={name}]").inner_text()
        for name in ("seed", "commitment", "checked", "notation")
    }
    assert facts == {
        "seed": WINNING.seed,
        "commitment": commitment,
        "checked": sha256(f"scoundrel\0{WINNING.seed}".encode()).hexdigest(),
        "notation": f"original/{WINNING.seed}/{WON}",
    }


def test_a_game_lost_with_the_mouse_shows_the_breakdown_of_its_score(visitor: Visitor) -> None:
    visitor.begin(LOSING)
    visitor.play(LOSING.actions)
    end = visitor.page.locator(".end.lost")
    expect_text(end.locator(".score b"), "−171")
    expect_text(end.locator(".sum"), "−1 health − 170 for the monsters that remain = −171")
    expect_contains(visitor.page.locator("#voice"), "killed you")
    assert visitor.health == -1


def test_a_game_is_won_with_the_keyboard_alone(visitor: Visitor) -> None:
    visitor.open()
    press = visitor.page.keyboard.press
    for _ in range(30):
        if visitor.focused("id") == "player":
            break
        press("Tab")
    visitor.page.keyboard.type("Robin")
    press("Tab")
    press("Tab")
    press("Enter")  # opens the details
    press("Tab")
    assert visitor.focused("id") == "seed"
    visitor.page.keyboard.type(WINNING.seed)
    press("Enter")
    visitor.table.wait_for()
    visitor.play(WINNING.actions, "press")
    expect_text(visitor.page.locator(".end.won .score b"), "19")
    assert visitor.focused("id") == "end-title"


def test_a_game_is_won_by_touch_on_a_phone(visitors: Callable[..., Visitor]) -> None:
    visitor = visitors(viewport=PHONE, has_touch=True, is_mobile=True)
    visitor.begin(WINNING)
    for version, action in enumerate(WINNING.actions):
        visitor.wait_for_version(version)
        assert visitor.page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
        visitor.tap(action)
    expect_text(visitor.page.locator(".end.won .score b"), "19")


def test_a_game_can_be_finished_by_pressing_only_enter(visitor: Visitor) -> None:
    visitor.open()
    visitor.page.get_by_role("button", name="Enter the dungeon").focus()
    for _ in range(MAX_STEPS):
        visitor.page.keyboard.press("Enter")
        visitor.page.locator(".start, .table:not(.busy)").first.wait_for()
        if visitor.page.locator(".end").count():
            break
    assert visitor.page.locator(".end h1").is_visible()


def test_a_game_can_be_finished_by_clicking_only_the_first_choice(visitor: Visitor) -> None:
    visitor.open()
    visitor.page.get_by_role("button", name="Enter the dungeon").click()
    visitor.table.wait_for()
    for _ in range(MAX_STEPS):
        visitor.page.locator(".room .card").first.click()
        visitor.page.locator(".choice .act").first.click()
        visitor.page.locator(".table:not(.busy)").wait_for()
        if visitor.page.locator(".end").count():
            break
    assert visitor.page.locator(".end h1").is_visible()


def test_in_the_gravekeeper_ruleset_each_card_is_drawn_by_hand(visitor: Visitor) -> None:
    game = careful("e2e-gravekeeper", "gravekeeper")
    visitor.begin(game)
    assert visitor.room == []
    visitor.play(game.actions)
    assert visitor.page.locator(".end").is_visible()


def test_a_click_on_the_dungeon_draws_in_the_draw_phase(visitor: Visitor) -> None:
    visitor.begin(careful("e2e-gravekeeper", "gravekeeper"))
    visitor.wait_for_version(0)
    visitor.page.locator(".dungeon .pile").click()
    visitor.wait_for_version(1)
    assert len(visitor.room) == 1


def test_the_table_uses_the_terms_of_its_ruleset(
    visitor: Visitor,
) -> None:
    visitor.begin(careful("e2e-words", "gamemaker"))
    visitor.wait_for_version(0)
    expect_text(visitor.page.locator(".life .name"), "Life")
    expect_contains(visitor.choice("avoid"), "Run from this room")


def test_the_start_screen_uses_the_terms_of_the_last_game(visitor: Visitor) -> None:
    visitor.begin(careful("e2e-words", "gamemaker"))
    visitor.wait_for_version(0)
    health = visitor.state()["health"]
    visitor.open()
    expect_text(visitor.page.locator(".continue .outcome"), f"Turn 1, {health} life left")


def test_a_weapon_in_the_room_shows_that_it_can_be_equipped(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    visitor.wait_for_version(0)
    expect_text(visitor.page.locator(".slot:has([data-card='6D']) .hints"), "equip")


def test_the_choices_are_in_view_on_a_phone_in_landscape(
    visitors: Callable[..., Visitor],
) -> None:
    visitor = visitors(viewport=LANDSCAPE, has_touch=True, is_mobile=True)
    visitor.begin(WINNING)
    visitor.wait_for_version(0)
    visitor.tap("equip:6D")
    visitor.wait_for_version(1)
    visitor.card("AS").tap()
    for how in ("weapon", "barehanded"):
        assert visitor.fully_visible(visitor.choice(f"fight:AS:{how}"))


def test_play_again_deals_a_new_deck_of_the_same_ruleset(visitor: Visitor) -> None:
    visitor.begin(LOSING)
    visitor.play(LOSING.actions)
    first = visitor.game_id
    visitor.page.get_by_role("button", name="Play again").click()
    visitor.wait_for_version(0)
    assert visitor.game_id != first
    assert visitor.state()["mode"] == "standard"


def test_the_same_deck_can_be_played_again(visitor: Visitor) -> None:
    visitor.begin(LOSING)
    room = visitor.room
    visitor.play(LOSING.actions)
    visitor.page.get_by_role("button", name="Same deck again").click()
    visitor.wait_for_version(0)
    assert visitor.room == room


def test_house_rules_make_a_custom_game(visitor: Visitor) -> None:
    visitor.begin(LOSING, health=30, leave=2)
    state = visitor.state()
    assert (state["custom"], state["max_health"], state["options"]["leave"]) == (True, 30, 2)
    expect_contains(visitor.page.locator(".facts"), "custom")


def test_each_choice_shows_its_effect(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    visitor.play(["equip:6D"])
    visitor.card("AS").click()
    expect_contains(visitor.choice("fight:AS:weapon"), "−8 health, 12 left")
    expect_contains(visitor.choice("fight:AS:barehanded"), "−14 health, 6 left")
    visitor.page.get_by_role("button", name="Back").click()
    visitor.play(["fight:AS:weapon"], start=1)
    visitor.play(["fight:JC:weapon"], start=2)
    visitor.card("9C").click()
    expect_contains(visitor.choice("fight:9C:barehanded"), "this kills you")


def test_slain_monsters_lie_on_the_weapon_without_covering_it(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    visitor.play(WINNING.actions[:5])
    cards = visitor.page.locator(".arm .lying")
    assert [card.get_attribute("data-card") for card in cards.all()] == [
        *("6D", "AS", "JC", "9C", "5S")
    ]
    weapon, first = (cards.nth(i).bounding_box() for i in (0, 1))
    assert weapon is not None
    assert first is not None
    assert first["x"] - weapon["x"] > weapon["width"] / 3
