"""A visitor of the page: what one does with mouse, keyboard and finger, and what is to be seen."""

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
PATIENCE_MS = 10_000

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


def read(line: str) -> list[str]:
    """Return the actions of a game's line: ``6D ASw a``."""
    return [str(parse_short(word)) for word in line.split()]


WINNING = Record("original", {}, "demo-original-1", read(WON))
LOSING = Record("original", {}, "demo-1", read(LOST))

KEYS = {"equip": "e", "drink": "p", "weapon": "w", "barehanded": "b", "avoid": "a", "draw": "d"}


def manner(action: str) -> str:
    """Return what an action is called on the page and on the keyboard."""
    parsed = parse_action(action)
    return str(parsed.how or parsed.verb)


def launch(playwright: Playwright) -> Browser:
    """Start the system's browser, which asks nobody but the server under test."""
    return playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)


def shows(place: Locator, text: str) -> None:
    """Wait until a place shows exactly this text, and fail if it never does."""
    from playwright.sync_api import expect  # noqa: PLC0415  # the tests are skipped without it

    expect(place).to_have_text(text, timeout=PATIENCE_MS)


def tells(place: Locator, text: str) -> None:
    """Wait until this text is part of what a place shows, and fail if it never is."""
    from playwright.sync_api import expect  # noqa: PLC0415  # the tests are skipped without it

    expect(place).to_contain_text(text, timeout=PATIENCE_MS)


class Visitor:
    """One profile of the browser with one page. At the end it must have nothing to complain of."""

    def __init__(self, browser: Browser, server: ApiServer, **profile: Any) -> None:  # noqa: ANN401  # what Playwright takes
        self.server = server
        self.address = f"http://127.0.0.1:{server.port}/"
        """Where the page is; what is asked of anybody else is a complaint."""
        self.profile: BrowserContext = browser.new_context(
            **{"viewport": DESKTOP, "reduced_motion": "reduce", **profile}
        )
        self.profile.set_default_timeout(PATIENCE_MS)
        self.complaints: list[str] = []
        self.excused: list[str] = []
        self.requests: list[str] = []
        self.profile.on("request", lambda request: self.requests.append(request.url))
        self.profile.on("console", lambda message: self._hear(message.type, message.text))
        self.profile.on("weberror", lambda error: self.complaints.append(str(error.error)))
        self.page: Page = self.profile.new_page()

    def _hear(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"}:
            self.complaints.append(text)

    # Where one goes

    def open(self, fragment: str = "") -> Visitor:
        """Open the page, at a game if its fragment is given, and wait until something is shown."""
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
        """Fill in the start screen and begin."""
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

    # What is to be seen

    @property
    def table(self) -> Locator:
        """The table."""
        return self.page.locator(".table")

    @property
    def notice(self) -> Locator:
        """The line that tells what is going on."""
        return self.page.locator("#notice")

    @property
    def game_id(self) -> str:
        """The id of the game that is shown."""
        found = re.search(r"#game=([\w-]+)$", self.page.url)
        assert found, self.page.url
        return found[1]

    @property
    def health(self) -> int:
        """The health that is shown."""
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

    def uncovered(self, place: Locator) -> bool:
        """Whether all of a place is in view, with nothing on top of its middle."""
        return bool(
            place.evaluate(
                "element => { const box = element.getBoundingClientRect();"
                " const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];"
                " const on = document.elementFromPoint(x, y);"
                " return box.top > -1 && box.bottom < innerHeight + 1 && element.contains(on); }"
            )
        )

    def state(self) -> dict[str, Any]:
        """Return what the server says of the game."""
        body: dict[str, Any] = self.server.get(f"/v1/games/{self.game_id}").json
        return body

    def settled(self, version: int) -> None:
        """Wait until the page shows this version, and what its actions do."""
        self.page.locator(f".table[data-version='{version}']:not(.busy)").wait_for()

    # What one does

    def click(self, action: str) -> None:
        """Do an action with the mouse."""
        if code := parse_action(action).card:
            self.card(code.code).click()
        self.choice(action).click()

    def tap(self, action: str) -> None:
        """Do an action with a finger."""
        if code := parse_action(action).card:
            self.card(code.code).tap()
        self.choice(action).tap()

    def press(self, action: str) -> None:
        """Do an action with the keyboard: go to the card, select it, and press the action's key."""
        if code := parse_action(action).card:
            for _ in range(8):
                if self.focused("data-card") == code.code:
                    break
                self.page.keyboard.press("ArrowRight")
            assert self.focused("data-card") == code.code
            self.page.keyboard.press("Enter")
        self.page.keyboard.press(KEYS[manner(action)])

    def play(self, actions: Sequence[str], how: str = "click", start: int = 0) -> None:
        """Do one action after the other: by ``click``, ``tap`` or ``press``."""
        for version, action in enumerate(actions, start):
            self.settled(version)
            getattr(self, how)(action)
        self.settled(start + len(actions))

    def focused(self, attribute: str) -> str | None:
        """Return an attribute of what has the focus."""
        return self.page.locator(":focus").first.get_attribute(attribute) if self._any() else None

    def _any(self) -> bool:
        return self.page.locator(":focus").count() > 0

    def end(self) -> None:
        """Close the profile, and fail if anything was wrong with the page."""
        self.profile.close()
        unexpected = [
            text
            for text in self.complaints
            if not any(re.search(excuse, text) for excuse in self.excused)
        ]
        assert not unexpected
        assert {url for url in self.requests if not url.startswith(self.address)} == set()


def careful(seed: str, ruleset: str = "original", **options: Any) -> Record:  # noqa: ANN401  # an option's value
    """Return a whole game that a careful player plays."""
    return record(seed, ruleset, options, player=CAREFUL)


def create(server: ApiServer, new_game: Mapping[str, Any]) -> dict[str, Any]:
    """Create a game without the page."""
    body: dict[str, Any] = server.post("/v1/games", new_game).json
    return body


def act(server: ApiServer, game_id: str, version: int, *actions: str) -> dict[str, Any]:
    """Play without the page."""
    path = f"/v1/games/{game_id}/actions"
    body: dict[str, Any] = server.post(path, {"version": version, "actions": actions}).json
    return body
