"""Regenerate the screenshots of the README: ``python -m tests.e2e.screenshots``.

They show fixed games, so they change only when the page does. The fonts are the machine's; P052
(Debian's fonts-urw-base35) substitutes Palatino, which most readers have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

from tests.e2e.browsing import LOSING, PHONE, WINNING, Visitor, launch
from tests.e2e.test_panels import play_by_api
from tests.servers import ROOT, StoreServer, serving, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from tests.servers import ApiServer

IMAGES = ROOT / "docs" / "images"
LARGE = {"width": 1200, "height": 760}


def screenshots(browser: Browser, server: ApiServer) -> Iterator[tuple[str, Visitor]]:
    """Yield the name of each screenshot, and a visitor who has the page in that state."""

    def visitor(**profile: Any) -> Visitor:  # noqa: ANN401  # Playwright's options
        return Visitor(browser, server, **{"viewport": LARGE, "color_scheme": "dark", **profile})

    yield "start", visitor().open()

    table = visitor()
    table.begin(WINNING, player="Morgan")
    table.play(WINNING.actions[:17])
    yield "table", table

    choice = visitor()
    choice.begin(WINNING, player="Morgan")
    choice.play(WINNING.actions[:12])
    choice.card("KS").click()
    choice.choice("fight:KS:weapon").hover()
    choice.page.mouse.wheel(0, -1000)
    yield "choice", choice

    light = visitor(color_scheme="light")
    light.begin(WINNING, player="Morgan")
    light.play(WINNING.actions[:17])
    yield "light", light

    for rival in ("Edda", "Nils", "Ylva"):
        play_by_api(server, WINNING, rival)
    end = visitor()
    end.begin(WINNING, player="Morgan")
    end.play(WINNING.actions)
    end.page.locator(".rank b").wait_for()
    end.page.locator(".proof summary").wait_for()
    yield "end", end

    end.page.get_by_role("button", name="See the ledger").click()
    end.page.locator(".board [aria-current]").wait_for()
    yield "ledger", end

    lost = visitor(color_scheme="light")
    lost.begin(LOSING, player="Morgan")
    lost.play(LOSING.actions)
    lost.page.locator(".rank b").wait_for()
    lost.page.locator(".proof summary").wait_for()
    yield "lost", lost

    phone = visitor(viewport=PHONE, device_scale_factor=2, has_touch=True, is_mobile=True)
    phone.begin(WINNING, player="Morgan")
    for version, action in enumerate(WINNING.actions[:12]):
        phone.wait_for_version(version)
        phone.tap(action)
    phone.wait_for_version(12)
    phone.card("KS").tap()
    yield "phone", phone


def main() -> None:
    """Write all screenshots."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    store = StoreServer(valkey_binary()).start()
    try:
        with serving(store, workers=1) as server, sync_playwright() as playwright:
            browser = launch(playwright)
            for name, visitor in screenshots(browser, server):
                visitor.page.locator("#notice").wait_for(state="hidden")
                visitor.page.screenshot(
                    path=IMAGES / f"{name}.jpg", type="jpeg", quality=90, animations="disabled"
                )
    finally:
        store.close()


if __name__ == "__main__":
    main()
