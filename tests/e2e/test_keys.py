"""The keyboard shortcuts: each works only where its action is legal."""

from __future__ import annotations

import pytest

from tests.e2e.browsing import WINNING, Visitor, careful, expect_contains

pytestmark = pytest.mark.slow

GRAVEKEEPER = careful("e2e-gravekeeper", "gravekeeper")


@pytest.fixture
def playing(visitor: Visitor) -> Visitor:
    """A visitor in a game with the room 6D AS 5S JC."""
    visitor.begin(WINNING)
    visitor.wait_for_version(0)
    return visitor


def test_the_arrows_move_between_the_cards_and_wrap_around(playing: Visitor) -> None:
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"):
        playing.page.keyboard.press(key)
        seen.append(playing.focused("data-card"))
    assert seen == ["AS", "5S", "JC", "6D", "JC"]


def test_enter_selects_and_escape_deselects(playing: Visitor) -> None:
    playing.page.keyboard.press("ArrowRight")
    playing.page.keyboard.press("Enter")
    assert playing.card("AS").get_attribute("aria-pressed") == "true"
    playing.page.keyboard.press("Escape")
    assert playing.card("AS").get_attribute("aria-pressed") == "false"
    assert playing.focused("data-card") == "AS"


@pytest.mark.parametrize(
    ("key", "before", "card", "action"),
    [
        ("e", [], "6D", "equip:6D"),
        ("b", [], "5S", "fight:5S:barehanded"),
        ("w", ["equip:6D"], "AS", "fight:AS:weapon"),
        ("p", WINNING.actions[:4], "8H", "drink:8H"),
        ("a", [], None, "avoid"),
        ("A", [], None, "avoid"),
    ],
)
def test_a_key_applies_its_action(
    playing: Visitor, key: str, before: list[str], card: str | None, action: str
) -> None:
    playing.play(before)
    if card:
        playing.card(card).click()
    playing.page.keyboard.press(key)
    playing.wait_for_version(len(before) + 1)
    history = playing.server.get(f"/v1/games/{playing.game_id}/history").json["history"]
    assert history[-1]["action"] == action


def test_d_draws_in_the_draw_phase(visitor: Visitor) -> None:
    visitor.begin(GRAVEKEEPER)
    for version in range(4):
        visitor.wait_for_version(version)
        visitor.page.keyboard.press("d")
    visitor.wait_for_version(4)
    assert len(visitor.room) == 4


@pytest.mark.parametrize("key", ["e", "b"])
def test_a_key_does_nothing_to_a_card_that_is_not_selected(playing: Visitor, key: str) -> None:
    card = {"e": "6D", "b": "5S"}[key]
    playing.card(card).focus()
    playing.page.keyboard.press(key)
    playing.page.keyboard.press("Enter")
    assert playing.card(card).get_attribute("aria-pressed") == "true"
    playing.page.keyboard.press("Escape")
    playing.page.keyboard.press(key)
    playing.page.keyboard.press("a")
    playing.wait_for_version(1)
    history = playing.server.get(f"/v1/games/{playing.game_id}/history").json["history"]
    assert [entry["action"] for entry in history] == [None, "avoid"]


@pytest.mark.parametrize("key", ["w", "d", "p", "b"])
def test_a_key_whose_action_is_not_legal_does_nothing(playing: Visitor, key: str) -> None:
    playing.card("6D").click()
    playing.page.keyboard.press(key)
    playing.page.keyboard.press("e")
    playing.wait_for_version(1)
    assert playing.state()["weapon"]["card"] == "6D"


def test_a_does_nothing_after_a_card_of_the_room_is_faced(playing: Visitor) -> None:
    playing.play(["equip:6D"])
    playing.page.keyboard.press("a")
    playing.card("AS").click()
    playing.page.keyboard.press("w")
    playing.wait_for_version(2)
    assert playing.state()["weapon"]["monsters"] == ["AS"]


@pytest.mark.parametrize(
    ("key", "title"), [("?", "Rules: Scoundrel"), ("l", "The Gravekeeper’s Ledger")]
)
def test_a_key_opens_its_panel_and_escape_closes_it(playing: Visitor, key: str, title: str) -> None:
    playing.page.keyboard.press(key)
    dialog = playing.page.get_by_role("dialog", name=title)
    dialog.wait_for()
    playing.page.keyboard.press("Escape")
    dialog.wait_for(state="detached")


def test_c_copies_the_link(playing: Visitor) -> None:
    playing.profile.grant_permissions(["clipboard-read", "clipboard-write"])
    playing.page.keyboard.press("c")
    playing.page.get_by_text("Link copied").wait_for()
    link = playing.page.evaluate("navigator.clipboard.readText()")
    assert link == f"{playing.address}#game={playing.game_id}"


def test_keys_are_ignored_while_a_panel_is_open(playing: Visitor) -> None:
    playing.page.keyboard.press("?")
    playing.page.get_by_role("dialog").wait_for()
    playing.page.keyboard.press("a")
    playing.page.keyboard.press("Escape")
    playing.card("6D").click()
    playing.page.keyboard.press("e")
    playing.wait_for_version(1)
    assert playing.state()["weapon"]["card"] == "6D"


def test_keys_are_ignored_while_a_name_is_typed(visitor: Visitor) -> None:
    visitor.open()
    visitor.page.locator("#player").focus()
    visitor.page.keyboard.type("l?c")
    assert visitor.page.locator("#player").input_value() == "l?c"
    assert visitor.page.locator("dialog").count() == 0


def test_the_help_panel_lists_every_key(playing: Visitor) -> None:
    playing.page.get_by_role("button", name="Keyboard").click()
    shown = playing.page.locator("dialog kbd").all_inner_texts()
    assert shown == ["←", "→", "Enter", "Esc", *"WBEPDA?LC"]
    expect_contains(playing.page.get_by_role("dialog"), "apply to the selected card.")
