"""Commands for operators: ``flask --app api ledger ...``.

They connect to the store that ``SCOUNDREL_REDIS_URL`` names, and may run beside the servers.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click
from flask.cli import AppGroup

from api.http.context import current_store
from api.store import UNAVAILABLE, Board, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

ledger = AppGroup("ledger", help="Verify and repair the boards, and remove games from them.")

_yes = click.option("--yes", is_flag=True, help="Do not ask.")


def register(app: Flask) -> None:
    """Add the commands to the app."""
    app.cli.add_command(ledger)


class _BoardName(click.ParamType[Board]):
    name = "board"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> Board:
        try:
            return Board.parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


@ledger.command()
def verify() -> None:
    """Replay every game, and compare the boards with the results.

    Prints each difference; exits with 1 if there is any.
    """
    counts: Counter[str] = Counter()
    wrong = expired = 0
    with _store_errors():
        for difference in current_store().ledger.audit.differences(counts):
            if difference.fault is Fault.EXPIRED:
                expired += 1
            else:
                wrong += 1
                click.echo(str(difference))
    click.echo(
        f"{counts['games']} games, {counts['finished']} of them finished; "
        f"{counts['boards']} boards with {counts['entries']} entries, {expired} of expired games; "
        f"{wrong} differences."
    )
    if wrong:
        raise click.exceptions.Exit(1)


@ledger.command()
def rebuild() -> None:
    """Repair the boards: add missing games, and remove false entries.

    Games that ended before their board was cleared are not added. Damaged games are not changed;
    exits with 1 if there is any.
    """
    counts: Counter[Fault] = Counter()
    audit = current_store().ledger.audit
    with _store_errors():
        for difference in audit.differences():
            counts[difference.fault] += 1
            if not audit.repair(difference):
                click.echo(str(difference))
    click.echo(
        f"{counts[Fault.MISSING]} games added, {counts[Fault.FALSE]} false entries and "
        f"{counts[Fault.EXPIRED]} entries of expired games removed; "
        f"{counts[Fault.DAMAGED]} damaged games."
    )
    if counts[Fault.DAMAGED]:
        raise click.exceptions.Exit(1)


# An id may begin with a dash, which must not make it an option.
@ledger.command(context_settings={"ignore_unknown_options": True})
@click.argument("game_id")
@_yes
def remove(game_id: str, yes: bool) -> None:
    """Remove a game and its entry for good."""
    if not yes:
        click.confirm(f"Remove the game {game_id} for good?", abort=True)
    with _store_errors():
        if not current_store().ledger.audit.remove(game_id):
            raise click.ClickException("Game not found.")
    click.echo("Removed.")


@ledger.command()
@click.argument("board", type=_BoardName())
@_yes
def clear(board: Board, yes: bool) -> None:
    """Remove all games from a BOARD for good: `original`, or a seed's, `original/SEED`.

    The games themselves stay. Games that end from now on are ranked.
    """
    with _store_errors():
        audit = current_store().ledger.audit
        if not yes:
            total = audit.total(board)
            click.confirm(f"Remove {total} games from the board {board.name} for good?", abort=True)
        click.echo(f"{audit.clear(board)} games removed.")


@contextmanager
def _store_errors() -> Iterator[None]:
    try:
        yield
    except UNAVAILABLE as error:
        raise click.ClickException(f"The store is not available: {error}") from error
