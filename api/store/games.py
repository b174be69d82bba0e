"""Games in the store: one hash each, with the action log that only ever grows.

A field of the hash is one letter, because a million games repeat it, and what is usual is missing:

=====  =====================================================================================
``f``  format of the hash, ``1``
``r``  rules as text: the ruleset, and options that differ (``original+leave=2``); missing if
       they are ``original``
``s``  seed
``m``  mode, ``seeded``; missing if it is ``standard``
``p``  player's name; missing if there is none
``l``  ``1`` if the game is locked: playing it takes its token; missing if it is not
``c``  time of creation, milliseconds since 1970 by the store's clock, as all times
``u``  time of the last action, or of creation
``x``  time of expiry, ``0`` for never
``a``  the action log, one ASCII character an action; missing before the first
=====  =====================================================================================
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from api.store.client import NotReplicated, Script
from api.store.game import Game, Mode, NewGame, UnreadableGame
from api.store.watch import timed
from engine import Status, parse_rules, to_log

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from api.store.client import Client
    from engine import Action, State

FORMAT = "1"
USUAL_RULES = "original"
"""What a missing ``r`` stands for: for ever, whichever ruleset is the default one day."""
DAY = 24 * 60 * 60 * 1000
MAX_COPIES = 8192
"""How many games a process remembers; 1.3 to 2.5 KB each."""

_CREATE = Script("create")
_APPEND = Script("append")
_CONFIRM = Script("confirm")


class GameNotFound(LookupError):
    """There is no such game: there never was, or it has expired."""


class LogMoved(Exception):
    """The game's log is not the one that was decided on; ``game`` is what lies there now."""

    def __init__(self, game: Game) -> None:
        super().__init__("the game has moved on")
        self.game = game


class Games:
    """The games in the store, each under its id."""

    def __init__(self, client: Client, keep_lost_days: int) -> None:
        self._client = client
        self._keep_lost = keep_lost_days * DAY
        self._copies: OrderedDict[str, Game] = OrderedDict()

    @timed("create")
    def create(self, new: NewGame) -> tuple[Game, bool]:
        """Create a game unless its id is taken.

        Returns the game that has the id now, and whether it was created.
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
        created, reply = self._client.run(_CREATE, _key(new.id), self._lifetime(new, None), *flat)
        game = self._met(new.id, _pairs(reply))
        if created:
            self._client.watch.begun(game)
        return game, bool(created)

    def recall(self, game_id: str) -> Game | None:
        """Return a game as this process saw it last, None if it has not, or long ago.

        Nothing may be answered by it: it may be out of date, or gone. It is good for an append,
        which compares it with what lies in the store.
        """
        return self._copies.get(game_id)

    @timed("read")
    def read(self, game_id: str) -> Game:
        """Return a game. Raises GameNotFound and UnreadableGame."""
        return self._met(game_id, self._client.redis.hgetall(_key(game_id)))

    @timed("read_all")
    def read_all(self, game_ids: Sequence[str]) -> list[Game | UnreadableGame | None]:
        """Return several games in one round trip a node.

        None stands for each that is gone, the reason for each that cannot be read.
        """
        pipeline = self._client.redis.pipeline(transaction=False)
        for game_id in game_ids:
            pipeline.hgetall(_key(game_id))
        replies = zip(game_ids, pipeline.execute(), strict=True)
        return [_game_or_reason(game_id, reply) if reply else None for game_id, reply in replies]

    def ids(self) -> Iterator[str]:
        """Yield the id of every game in the store; some maybe twice."""
        for key in self._client.redis.scan_iter(match="game:*", count=500):
            yield str(key).removeprefix("game:")

    def remove(self, game_id: str) -> bool:
        """Remove a game; return whether there was one."""
        return bool(self._client.redis.delete(_key(game_id)))

    @timed("append")
    def append(self, game: Game, actions: Iterable[Action], after: State) -> Game:
        """Append ``actions``, which lead to ``after``, to exactly this game; return it as it is.

        Raises LogMoved if its log is another by now, and GameNotFound if it has expired.
        """
        log = to_log(actions)
        life = self._lifetime(game, after)
        done, *reply = self._client.run(
            _APPEND, _key(game.id), game.seed, game.created_at, game.log, log, life
        )
        if not done:
            raise LogMoved(self._met(game.id, _pairs(reply[0])))
        updated, expires = map(int, reply)
        game = game._replace(log=game.log + log, updated_at=updated, expires_at=expires or None)
        game.state = after
        return self._remember(game)

    @timed("confirm")
    def confirm(self, game: Game, replicas: int) -> None:
        """Wait until so many replicas have the game as it is.

        Raises NotReplicated if they do not, or if it is another by now.
        """
        if not self._client.replicate(replicas, _CONFIRM, _key(game.id), game.seed, game.log):
            raise NotReplicated("the game was set back")

    def _met(self, game_id: str, fields: Mapping[Any, Any]) -> Game:
        """Return the game that lies in the store, and remember it."""
        game = _game(game_id, fields)
        if earlier := self._copies.get(game_id):
            game.follow(earlier)
        return self._remember(game)

    def _remember(self, game: Game) -> Game:
        self._copies[game.id] = game
        self._copies.move_to_end(game.id)
        if len(self._copies) > MAX_COPIES:
            self._copies.popitem(last=False)
        return game

    def _lifetime(self, game: Game | NewGame, after: State | None) -> int:
        """Return how many milliseconds a game is kept from now on, 0 for ever."""
        if after is None:
            return DAY
        if after.status is Status.PLAYING or game.mode is Mode.SEEDED or game.rules.custom:
            return 30 * DAY
        return 0 if after.status is Status.WON else self._keep_lost


def _key(game_id: str) -> str:
    return f"game:{game_id}"


def _pairs(flat: Sequence[str]) -> dict[str, str]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _game_or_reason(game_id: str, fields: Mapping[Any, Any]) -> Game | UnreadableGame:
    try:
        return _game(game_id, fields)
    except UnreadableGame as reason:
        return reason


def _game(game_id: str, fields: Mapping[Any, Any]) -> Game:
    if not fields:
        raise GameNotFound(game_id)
    if fields.get("f") != FORMAT:
        raise UnreadableGame("another format")
    try:
        return _written(game_id, fields)
    except (KeyError, ValueError) as error:
        raise UnreadableGame(f"{type(error).__name__}: {error}") from error


def _written(game_id: str, fields: Mapping[Any, Any]) -> Game:
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
