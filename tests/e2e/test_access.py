"""Accessibility: screen readers, keyboard, small screens, reduced motion, contrast, types."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.browsing import (
    LANDSCAPE,
    LOSING,
    PHONE,
    SMALL_PHONE,
    WINNING,
    Visitor,
    expect_contains,
)
from tests.e2e.tooling import TOOLING, installed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def axe(npm: str) -> str:
    """The source of axe-core."""
    return (installed(npm) / "axe-core" / "axe.min.js").read_text()


def start(visitor: Visitor) -> None:
    visitor.open()


def options_open(visitor: Visitor) -> None:
    visitor.open()
    visitor.page.locator(".begin summary").click()


def table(visitor: Visitor) -> None:
    visitor.begin(WINNING, player="Morgan")
    visitor.play(WINNING.actions[:3])


def choice(visitor: Visitor) -> None:
    visitor.begin(LOSING)
    visitor.play(LOSING.actions[:2])
    visitor.page.locator(".room .card").last.click()


def deadly(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    visitor.play(WINNING.actions[:3])
    visitor.card("9C").click()


def end(visitor: Visitor) -> None:
    visitor.begin(LOSING)
    visitor.play(LOSING.actions)
    visitor.page.locator(".end summary").click()


def rules(visitor: Visitor) -> None:
    visitor.open()
    visitor.page.locator("#rules").click()
    visitor.page.get_by_role("dialog").wait_for()


def ledger(visitor: Visitor) -> None:
    end(visitor)
    visitor.page.get_by_role("button", name="See the ledger").click()
    visitor.page.locator(".board [aria-current]").wait_for()


def keyboard(visitor: Visitor) -> None:
    visitor.open()
    visitor.page.locator("#help").click()


def own_runs(visitor: Visitor) -> None:
    end(visitor)
    visitor.page.locator("#runs").click()


def dungeon(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    visitor.play(["avoid"])
    visitor.page.locator(".dungeon .pile").click()


SCREENS = [
    *(start, options_open, table, choice, deadly, end),
    *(rules, ledger, keyboard, own_runs, dungeon),
]


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_axe_finds_nothing(
    visitors: Callable[..., Visitor], axe: str, screen: Callable[[Visitor], None], scheme: str
) -> None:
    visitor = visitors(color_scheme=scheme, bypass_csp=True)
    screen(visitor)
    assert violations(visitor, axe) == []


@pytest.mark.parametrize("screen", [start, choice, end, ledger])
def test_axe_finds_nothing_on_a_phone(
    visitors: Callable[..., Visitor], axe: str, screen: Callable[[Visitor], None]
) -> None:
    visitor = visitors(viewport=PHONE, bypass_csp=True)
    screen(visitor)
    assert violations(visitor, axe) == []
    assert visitor.page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def violations(visitor: Visitor, axe: str) -> list[dict[str, Any]]:
    """Return the violations that axe-core finds, including those of best practices."""
    visitor.page.evaluate(axe)
    found = visitor.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        {"rule": each["id"], "where": [node["html"][:120] for node in each["nodes"]]}
        for each in found["violations"]
    ]


def test_the_live_region_announces_events(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    voice = visitor.page.locator("#voice[role=status]")
    expect_contains(voice, "6 of diamonds, ace of spades, 5 of spades and jack of clubs turned up.")
    visitor.play(["equip:6D"])
    expect_contains(voice, "You equipped the mace (6♦).")
    visitor.play(["fight:5S:weapon"], start=1)
    expect_contains(voice, "You slew the serpent (5♠) with your weapon, unharmed.")


def test_the_live_region_announces_the_state_of_a_game_when_it_is_opened(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    visitor.play(["equip:6D"])
    visitor.page.reload()
    expect_contains(
        visitor.page.locator("#voice"),
        "Health 20 of 20, weapon 6 of diamonds, 40 cards in the dungeon.",
    )


def test_a_cards_accessible_name_describes_it_and_its_actions(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    visitor.play(["equip:6D"])
    name = (
        "Ace of spades, monster 14. With the weapon: −8 health, 12 left. "
        "Barehanded: −14 health, 6 left"
    )
    visitor.page.get_by_role("button", name=name, exact=True).wait_for()


def test_the_meter_shows_the_health(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    meter = visitor.page.get_by_role("meter", name="Health")
    meter.wait_for()
    assert meter.get_attribute("aria-valuetext") == "20 of 20"


def test_tab_follows_the_order_of_play(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    visitor.wait_for_version(0)
    visitor.card("6D").focus()
    seen = []
    for _ in range(3):
        visitor.page.keyboard.press("Tab")
        seen.append(visitor.focused("data-action") or visitor.focused("class"))
    assert seen == ["avoid", "pile", "pile none"]


def test_the_focus_stays_in_the_room_after_each_card(visitor: Visitor) -> None:
    visitor.begin(WINNING)
    for version, action in enumerate(WINNING.actions[:6]):
        visitor.wait_for_version(version)
        visitor.press(action)
        visitor.wait_for_version(version + 1)
        assert visitor.focused("data-card") in visitor.room


def test_the_focus_returns_when_a_panel_closes(visitor: Visitor) -> None:
    visitor.open()
    visitor.page.locator("#rules").focus()
    visitor.page.keyboard.press("Enter")
    visitor.page.get_by_role("dialog").wait_for()
    visitor.page.keyboard.press("Escape")
    assert visitor.focused("id") == "rules"


@pytest.mark.parametrize(("preference", "moves"), [("reduce", False), ("no-preference", True)])
def test_cards_move_unless_reduced_motion_is_preferred(
    visitors: Callable[..., Visitor], preference: str, *, moves: bool
) -> None:
    visitor = visitors(reduced_motion=preference)
    visitor.profile.add_init_script(
        "window.moved = 0; const animate = Element.prototype.animate;"
        "Element.prototype.animate = function (...given) {"
        " window.moved += 1; return animate.apply(this, given); };"
    )
    visitor.begin(WINNING)
    visitor.play(["equip:6D", "fight:AS:weapon", "fight:JC:weapon"])
    assert (visitor.page.evaluate("window.moved") > 0) is moves


@pytest.mark.parametrize("width", [320, 360, 768, 1024, 1920])
def test_nothing_is_cut_off_at_any_width(visitors: Callable[..., Visitor], width: int) -> None:
    visitor = visitors(viewport={"width": width, "height": 800})
    visitor.begin(WINNING, player="A name of 24 characters.")
    visitor.play(WINNING.actions[:3])
    assert visitor.page.evaluate("document.documentElement.scrollWidth") == width
    assert visitor.page.locator(".room .card").last.bounding_box() is not None


@pytest.mark.parametrize("size", [PHONE, SMALL_PHONE])
def test_every_ruleset_can_be_chosen_on_a_phone_without_scrolling(
    visitors: Callable[..., Visitor], size: dict[str, int]
) -> None:
    visitor = visitors(viewport=size)
    visitor.open()
    for ruleset in visitor.page.locator(".ruleset").all():
        assert visitor.fully_visible(ruleset)
    assert visitor.fully_visible(visitor.page.get_by_role("button", name="Enter the dungeon"))


@pytest.mark.parametrize("size", [SMALL_PHONE, LANDSCAPE])
def test_nothing_covers_the_rulesets_when_a_game_can_be_continued(
    visitors: Callable[..., Visitor], size: dict[str, int]
) -> None:
    visitor = visitors(viewport=size)
    visitor.begin(WINNING)
    visitor.wait_for_version(0)
    visitor.open()
    for ruleset in visitor.page.locator(".ruleset").all():
        ruleset.scroll_into_view_if_needed()
        assert visitor.fully_visible(ruleset)


def check(directory: Path) -> subprocess.CompletedProcess[str]:
    """Type-check the page with the tooling in a directory."""
    return subprocess.run(
        ["node", TOOLING / "node_modules/typescript/bin/tsc", "--project", directory],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_page_type_checks_against_the_contract(npm: str) -> None:
    checked = check(installed(npm).parent)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize(
    ("before", "after", "reported"),
    [
        ('"/v1/games/{game_id}/score": {', '"/v1/games/{game_id}/points": {', "/score"),
        ('post: operations["applyActions"]', 'put: operations["applyActions"]', "/actions"),
        ("dungeon_size: number;", "dungeon_cards: number;", "dungeon_size"),
        ("next_cursor: string", "next_page: string", "next_cursor"),
        ("actions: string[];", "moves: string[];", "actions"),
    ],
)
def test_a_breaking_change_of_the_contract_fails_the_type_check(
    npm: str, tmp_path: Path, before: str, after: str, reported: str
) -> None:
    tooling = installed(npm).parent
    page = tmp_path / "web"
    shutil.copytree(tooling.parent, page, ignore=shutil.ignore_patterns("node_modules"))
    schema = page / "schema.d.ts"
    contract = schema.read_text()
    assert before in contract
    schema.write_text(contract.replace(before, after))
    checked = check(page / "tooling")
    assert checked.returncode != 0
    assert reported in checked.stdout


def test_the_types_match_the_published_contract(npm: str, tmp_path: Path) -> None:
    directory = installed(npm).parent
    subprocess.run(
        [
            *(npm, "exec", "--", "openapi-typescript", "../../../openapi/openapi.json"),
            *("--output", str(tmp_path / "schema.d.ts")),
        ],
        cwd=directory,
        capture_output=True,
        check=True,
    )
    written = (directory.parent / "schema.d.ts").read_text()
    assert without_comments(written) == without_comments((tmp_path / "schema.d.ts").read_text()), (
        "the contract has changed: npm --prefix clients/web/tooling run schema"
    )


def without_comments(types: str) -> str:
    """Return types without their comments, which do not matter here."""
    return " ".join(re.sub(r"/\*\*.*?\*/", "", types, flags=re.DOTALL).split())
