"""Games in the store: one hash each, with an action log that only ever grows.

A field of the hash is one letter, because a million games repeat it; usual values are omitted:

=====  =====================================================================================
``f``  format of the hash, ``1``
``r``  rules as text: the ruleset, and options that differ (``original+leave=2``); missing if
       they are ``original``
``s``  seed
``m``  mode; missing if it is ``standard``
``p``  player's name; missing if there is none
``l``  ``1`` if the game is locked: playing it requires its token; missing if it is not
``c``  time of creation, milliseconds since 1970 by the store's clock, as all times
``u``  time of the last action, or of creation
``x``  time of expiry, ``0`` for never
``a``  the action log, one ASCII character an action; missing before the first
=====  =====================================================================================
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from api.store.client import NotReplicated, Script
from api.store.game import Game, UnreadableGame, lifetime
from api.store.modes import Mode
from api.store.observer import timed
from engine import parse_rules, to_log

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from api.store.client import Client
    from api.store.game import NewGame
    from engine import Action, State

FORMAT = "1"
USUAL_RULES = "original"
"""The meaning of a missing ``r``, even if another ruleset becomes the default one day."""
MAX_COPIES = 8192
"""How many games a process remembers, at 1.3 to 2.5 KB each."""

_CREATE = Script("create")
_APPEND = Script("append")
_CONFIRM = Script("confirm")


class GameNotFound(LookupError):
    """There is no game of this id: there never was, or it has expired."""


class LogMoved(Exception):
    """The stored log is not the one that the caller read; ``game`` is the stored game."""

    def __init__(self, game: Game) -> None:
        super().__init__("the game has moved on")
        self.game = game


class Games:
    """The games in the store, by id."""

    def __init__(self, client: Client, keep_lost_days: int) -> None:
        self._client = client
        self._keep_lost_days = keep_lost_days
        self._copies: OrderedDict[str, Game] = OrderedDict()

    @timed("create")
    def create(self, new: NewGame) -> tuple[Game, bool]:
        """Create a game unless its id is taken.

        Returns the stored game of that id, and whether it was created by this call.
        """
        fields = {"f": FORMAT, "s": new.seed}
        if str(new.rules) != USUAL_RULES:
            fields["r"] = str(new.rules)
        if new.mode is not Mode.STANDARD:
            fields["m"] = new.mode.value
        if new.player is not None:
            fields["p"] = new.player
        if new.locked:
            fields["l"] = "1"
        flat = [text for pair in fields.items() for text in pair]
        milliseconds = lifetime(new, None, self._keep_lost_days)
        created, reply = self._client.run(_CREATE, _key(new.id), milliseconds, *flat)
        game = self._loaded(new.id, _pairs(reply))
        if created:
            self._client.observer.game_created(game)
        return game, bool(created)

    def recall(self, game_id: str) -> Game | None:
        """Return this process's copy of a game, if it has one.

        The copy may be out of date, or the game gone, so no response may depend on it. It is good
        for an append, whose script compares it with the stored game.
        """
        return self._copies.get(game_id)

    @timed("read")
    def read(self, game_id: str) -> Game:
        """Return a game. Raises GameNotFound and UnreadableGame."""
        return self._loaded(game_id, self._client.redis.hgetall(_key(game_id)))

    @timed("read_all")
    def read_all(self, game_ids: Sequence[str]) -> list[Game | UnreadableGame | None]:
        """Return several games in one round trip to each node.

        An item is None if the game is gone, and the error if it cannot be read.
        """
        pipeline = self._client.redis.pipeline(transaction=False)
        for game_id in game_ids:
            pipeline.hgetall(_key(game_id))
        replies = zip(game_ids, pipeline.execute(), strict=True)
        return [_game_or_error(game_id, reply) if reply else None for game_id, reply in replies]

    def ids(self) -> Iterator[str]:
        """Yield the id of every game in the store; an id may be repeated."""
        for key in self._client.redis.scan_iter(match="game:*", count=500):
            yield str(key).removeprefix("game:")

    def remove(self, game_id: str) -> bool:
        """Remove a game; return whether there was one."""
        return bool(self._client.redis.delete(_key(game_id)))

    @timed("append")
    def append(self, game: Game, actions: Iterable[Action], after: State) -> Game:
        """Append ``actions``, which lead to ``after``, to exactly this game; return the new game.

        Raises LogMoved if the stored log is another, and GameNotFound if the game has expired.
        """
        log = to_log(actions)
        milliseconds = lifetime(game, after.status, self._keep_lost_days)
        done, *reply = self._client.run(
            _APPEND, _key(game.id), game.seed, game.created_at, game.log, log, milliseconds
        )
        if not done:
            raise LogMoved(self._loaded(game.id, _pairs(reply[0])))
        updated, expires = map(int, reply)
        return self._remember(
            replace(
                game,
                log=game.log + log,
                updated_at=updated,
                expires_at=expires or None,
                known=after,
            )
        )

    @timed("confirm")
    def confirm(self, game: Game, replicas: int) -> None:
        """Wait until ``replicas`` replicas have the game as it is.

        Raises NotReplicated if they do not in time, or if the stored game is another.
        """
        if not self._client.replicate(replicas, _CONFIRM, _key(game.id), game.seed, game.log):
            raise NotReplicated("the game was set back")

    def _loaded(self, game_id: str, fields: Mapping[Any, Any]) -> Game:
        """Return the game of a stored hash, and remember it."""
        game = _parse(game_id, fields)
        if earlier := self._copies.get(game_id):
            game = game.knowing(earlier)
        return self._remember(game)

    def _remember(self, game: Game) -> Game:
        self._copies[game.id] = game
        self._copies.move_to_end(game.id)
        if len(self._copies) > MAX_COPIES:
            self._copies.popitem(last=False)
        return game


def _key(game_id: str) -> str:
    return f"game:{game_id}"


def _pairs(flat: Sequence[str]) -> dict[str, str]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _game_or_error(game_id: str, fields: Mapping[Any, Any]) -> Game | UnreadableGame:
    try:
        return _parse(game_id, fields)
    except UnreadableGame as error:
        return error


def _parse(game_id: str, fields: Mapping[Any, Any]) -> Game:
    if not fields:
        raise GameNotFound(game_id)
    if fields.get("f") != FORMAT:
        raise UnreadableGame("another format")
    try:
        return Game(
            id=game_id,
            rules=parse_rules(fields.get("r", USUAL_RULES)),
            seed=fields["s"],
            mode=Mode(fields.get("m", Mode.STANDARD)),
            player=fields.get("p"),
            locked="l" in fields,
            created_at=int(fields["c"]),
            updated_at=int(fields["u"]),
            expires_at=int(fields["x"]) or None,
            log=fields.get("a", ""),
        )
    except (KeyError, ValueError) as error:
        raise UnreadableGame(f"{type(error).__name__}: {error}") from error
