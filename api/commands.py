"""Commands for those who operate the server: ``flask --app api ledger ...``.

They talk to the store that ``SCOUNDREL_REDIS_URL`` names, and may run beside the servers.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click
from flask.cli import AppGroup

from api.current import store
from api.store import UNAVAILABLE, Board, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

ledger = AppGroup("ledger", help="Check the boards, mend them, and take games off them.")

_yes = click.option("--yes", is_flag=True, help="Do not ask.")


def register(app: Flask) -> None:
    """Give the app its commands."""
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
    """Replay every game and compare the boards with what comes of it.

    Prints each difference; exits with 1 if there is one.
    """
    counts: Counter[str] = Counter()
    wrong = expired = 0
    with _answering():
        for difference in store().ledger.audit.differences(counts):
            if difference.fault is Fault.EXPIRED:
                expired += 1
            else:
                wrong += 1
                click.echo(str(difference))
    click.echo(
        f"{counts['games']} games, {counts['finished']} of them over; {counts['boards']} boards "
        f"with {counts['entries']} entries, {expired} of games that have expired; "
        f"{wrong} differences."
    )
    if wrong:
        raise click.exceptions.Exit(1)


@ledger.command()
def rebuild() -> None:
    """Put the boards right: enter the games that are missing, take off what is false.

    Games that ended before their board was cleared stay off it. Damaged games are left alone;
    exits with 1 if there is one.
    """
    counts: Counter[Fault] = Counter()
    audit = store().ledger.audit
    with _answering():
        for difference in audit.differences():
            counts[difference.fault] += 1
            if not audit.mend(difference):
                click.echo(str(difference))
    click.echo(
        f"{counts[Fault.MISSING]} games entered, {counts[Fault.FALSE]} false entries and "
        f"{counts[Fault.EXPIRED]} of expired games taken off; "
        f"{counts[Fault.DAMAGED]} games damaged."
    )
    if counts[Fault.DAMAGED]:
        raise click.exceptions.Exit(1)


# An id may begin with a dash, and is no option then.
@ledger.command(context_settings={"ignore_unknown_options": True})
@click.argument("game_id")
@_yes
def remove(game_id: str, yes: bool) -> None:
    """Remove a game for good, and its entry with it."""
    if not yes:
        click.confirm(f"Remove the game {game_id} for good?", abort=True)
    with _answering():
        if not store().ledger.audit.remove(game_id):
            raise click.ClickException("There is no such game.")
    click.echo("Removed.")


@ledger.command()
@click.argument("board", type=_BoardName())
@_yes
def clear(board: Board, yes: bool) -> None:
    """Take all games off a BOARD for good: `original`, or a seed's, `original/SEED`.

    The games themselves stay. Those that end from now on are ranked again.
    """
    with _answering():
        audit = store().ledger.audit
        if not yes:
            total = audit.total(board)
            click.confirm(f"Take {total} games off the board {board.name} for good?", abort=True)
        click.echo(f"{audit.clear(board)} games taken off.")


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except UNAVAILABLE as error:
        raise click.ClickException(f"The store does not answer: {error}") from error
