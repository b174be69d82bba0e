"""A visitor who drives the page with mouse, keyboard or touch."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

from engine import parse_action, parse_short
from tests.playing import CAREFUL, Record, record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playwright.sync_api import Browser, BrowserContext, Locator, Page, Playwright

    from tests.servers import ApiServer

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TIMEOUT_MS = 10_000

DESKTOP = {"width": 1280, "height": 860}
PHONE = {"width": 360, "height": 740}
SMALL_PHONE = {"width": 360, "height": 640}
LANDSCAPE = {"width": 740, "height": 360}

WON = (
    "6D ASw JCw 9Cw 5Sw 8H a 4Sw 6H 2D 9D ACw KSw 5H 4H QSw TCw 5Cw 4D TH 3D 3Cw TD "
    "6Sb 3H a TSw 9Sw 8Cw 7Cw 7Sw 3Sw a 5D JSw 9H 6Cw 7D 8D a KCw QCw 8Sw 7H 4Cw 2Cw "
    "2H 2Sw"
)
LOST = "TH 3D 9D 4H 4Sb 6D QSb 3Sb 6H 8Cb"


def actions_of(line: str) -> list[str]:
    """Parse the actions of a notation: ``6D ASw a``."""
    return [str(parse_short(word)) for word in line.split()]


WINNING = Record("original", {}, "demo-original-1", actions_of(WON))
LOSING = Record("original", {}, "demo-1", actions_of(LOST))

KEYS = {"equip": "e", "drink": "p", "weapon": "w", "barehanded": "b", "avoid": "a", "draw": "d"}


def kind_of_action(action: str) -> str:
    """Return the kind of an action: its verb, or for a fight ``weapon`` or ``barehanded``."""
    parsed = parse_action(action)
    return str(parsed.how or parsed.verb)


def launch(playwright: Playwright) -> Browser:
    """Start the system's browser, without background requests."""
    return playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)


def expect_text(locator: Locator, text: str) -> None:
    """Wait for an element to have exactly this text."""
    from playwright.sync_api import expect  # noqa: PLC0415  # the tests are skipped without it

    expect(locator).to_have_text(text, timeout=TIMEOUT_MS)


def expect_contains(locator: Locator, text: str) -> None:
    """Wait for an element to contain this text."""
    from playwright.sync_api import expect  # noqa: PLC0415  # the tests are skipped without it

    expect(locator).to_contain_text(text, timeout=TIMEOUT_MS)


class Visitor:
    """A browser profile with one page. Unexpected errors of the page fail the test."""

    def __init__(self, browser: Browser, server: ApiServer, **profile: Any) -> None:  # noqa: ANN401  # Playwright's options
        self.server = server
        self.address = f"http://127.0.0.1:{server.port}/"
        """The URL of the page; a request to any other address fails the test."""
        self.profile: BrowserContext = browser.new_context(
            **{"viewport": DESKTOP, "reduced_motion": "reduce", **profile}
        )
        self.profile.set_default_timeout(TIMEOUT_MS)
        self.errors: list[str] = []
        self.expected_errors: list[str] = []
        self.requests: list[str] = []
        self.profile.on("request", lambda request: self.requests.append(request.url))
        self.profile.on("console", lambda message: self._hear(message.type, message.text))
        self.profile.on("weberror", lambda error: self.errors.append(str(error.error)))
        self.page: Page = self.profile.new_page()

    def _hear(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"}:
            self.errors.append(text)

    # Navigation

    def open(self, fragment: str = "") -> Visitor:
        """Open the page, optionally with a game's fragment, and wait for its content."""
        self.page.goto(self.address + fragment)
        self.page.locator(".start, .table, .message h1").first.wait_for()
        return self

    def begin(
        self,
        game: Record | None = None,
        player: str = "",
        *,
        locked: bool = False,
        **choices: str | int,
    ) -> Visitor:
        """Fill in the start screen and start the game."""
        if not self.page.url.startswith(self.address) or "#game" in self.page.url:
            self.open()
        self.page.fill("#player", player)
        if game is not None:
            self.page.locator(f"label[for=ruleset-{game.ruleset}]").click()
            self.page.locator(".begin summary").click()
            self.page.fill("#seed", game.seed)
            self.page.locator("#locked").set_checked(locked)
            choices = {**game.options, **choices}
        for name, value in choices.items():
            field = self.page.locator(f"#option-{name}")
            if isinstance(value, int):
                field.fill(str(value))
            else:
                field.select_option(value)
        self.page.get_by_role("button", name="Enter the dungeon").click()
        self.table.wait_for()
        return self

    # Content

    @property
    def table(self) -> Locator:
        """The table."""
        return self.page.locator(".table")

    @property
    def notice(self) -> Locator:
        """The line with messages."""
        return self.page.locator("#notice")

    @property
    def game_id(self) -> str:
        """The id of the shown game."""
        found = re.search(r"#game=([\w-]+)$", self.page.url)
        assert found, self.page.url
        return found[1]

    @property
    def health(self) -> int:
        """The shown health."""
        return int(self.page.locator(".life .number").inner_text().replace("−", "-"))

    @property
    def room(self) -> list[str]:
        """The cards of the room, left to right."""
        cards = self.page.locator(".room .card")
        return [str(card.get_attribute("data-card")) for card in cards.all()]

    def card(self, code: str) -> Locator:
        """A card of the room."""
        return self.page.locator(f".room .card[data-card='{code}']")

    def choice(self, action: str) -> Locator:
        """The button of an action."""
        return self.page.locator(f".act[data-action='{action}']")

    def fully_visible(self, locator: Locator) -> bool:
        """Whether an element is entirely in view, with nothing covering its centre."""
        return bool(
            locator.evaluate(
                "element => { const box = element.getBoundingClientRect();"
                " const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];"
                " const on = document.elementFromPoint(x, y);"
                " return box.top > -1 && box.bottom < innerHeight + 1 && element.contains(on); }"
            )
        )

    def state(self) -> dict[str, Any]:
        """Return the game as the server has it."""
        body: dict[str, Any] = self.server.get(f"/v1/games/{self.game_id}").json
        return body

    def wait_for_version(self, version: int) -> None:
        """Wait until the page shows this version and the effects of its actions."""
        self.page.locator(f".table[data-version='{version}']:not(.busy)").wait_for()

    # Actions

    def click(self, action: str) -> None:
        """Apply an action with the mouse."""
        if code := parse_action(action).card:
            self.card(code.code).click()
        self.choice(action).click()

    def tap(self, action: str) -> None:
        """Apply an action by touch."""
        if code := parse_action(action).card:
            self.card(code.code).tap()
        self.choice(action).tap()

    def press(self, action: str) -> None:
        """Apply an action by keyboard: go to the card, select it, press the action's key."""
        if code := parse_action(action).card:
            for _ in range(8):
                if self.focused("data-card") == code.code:
                    break
                self.page.keyboard.press("ArrowRight")
            assert self.focused("data-card") == code.code
            self.page.keyboard.press("Enter")
        self.page.keyboard.press(KEYS[kind_of_action(action)])

    def play(self, actions: Sequence[str], how: str = "click", start: int = 0) -> None:
        """Apply the actions in order, by ``click``, ``tap`` or ``press``."""
        for version, action in enumerate(actions, start):
            self.wait_for_version(version)
            getattr(self, how)(action)
        self.wait_for_version(start + len(actions))

    def focused(self, attribute: str) -> str | None:
        """Return an attribute of the focused element, if there is one."""
        focus = self.page.locator(":focus")
        return focus.first.get_attribute(attribute) if focus.count() else None

    def end(self) -> None:
        """Close the profile, and fail on unexpected errors and requests."""
        self.profile.close()
        unexpected = [
            text
            for text in self.errors
            if not any(re.search(pattern, text) for pattern in self.expected_errors)
        ]
        assert not unexpected
        assert {url for url in self.requests if not url.startswith(self.address)} == set()


def careful(seed: str, ruleset: str = "original", **options: Any) -> Record:  # noqa: ANN401  # an option's value
    """Return a whole game of a careful player."""
    return record(seed, ruleset, options, player=CAREFUL)


def create(server: ApiServer, new_game: Mapping[str, Any]) -> dict[str, Any]:
    """Create a game directly at the API."""
    body: dict[str, Any] = server.post("/v1/games", new_game).json
    return body


def act(server: ApiServer, game_id: str, version: int, *actions: str) -> dict[str, Any]:
    """Apply actions directly at the API."""
    path = f"/v1/games/{game_id}/actions"
    body: dict[str, Any] = server.post(path, {"version": version, "actions": actions}).json
    return body
