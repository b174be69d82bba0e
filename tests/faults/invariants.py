"""What must hold of the exchanges and of what lies in the store, whatever has gone wrong.

Everything is computed anew from the logs in the store, by the engine alone.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from engine import Rules, Step, from_log, parse_action, parse_rules, score, steps, to_log
from tests.api.documented import Document
from tests.public import public_event, public_state
from tests.servers import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from redis import Redis

    from tests.faults.exchanges import Exchange

DOCUMENT = Document(json.loads((ROOT / "openapi" / "openapi.json").read_text()))

CHECKED_WHOLE = 150
"""So many successes of each operation are held against the document, and every refusal."""


class Stored(NamedTuple):
    """A game as it lies in the store, and all that follows from its log."""

    id: str
    rules: Rules
    seed: str
    mode: str
    finished_at: int
    log: str
    steps: Sequence[Step]

    @property
    def total(self) -> int | None:
        """Its score, None while it goes on."""
        return score(self.steps[-1].state).score

    @property
    def for_all(self) -> bool:
        """Whether it is ranked among all games of its ruleset, and so is kept."""
        return not self.rules.custom and self.mode == "standard"

    @property
    def board(self) -> str | None:
        """The board that it belongs on once it is over, None if it is custom."""
        if self.rules.custom:
            return None
        ruleset = self.rules.ruleset
        return f"{ruleset}/{self.seed}" if self.mode == "seeded" else ruleset


def stored_games(redis: Redis) -> dict[str, Stored]:
    """Read and replay every game in the store. A log that does not replay raises EngineError."""
    keys = sorted({str(key) for key in redis.scan_iter("game:*", count=1000)})
    pipeline = redis.pipeline(transaction=False)
    for key in keys:
        pipeline.hgetall(key)
    games = {}
    for key, fields in zip(keys, pipeline.execute(), strict=True):
        rules, log = parse_rules(fields.get("r", "original")), fields.get("a", "")
        played = tuple(steps(fields["s"], from_log(log), rules.options))
        game_id = key.removeprefix("game:")
        games[game_id] = Stored(
            game_id, rules, fields["s"], fields.get("m", "standard"), int(fields["u"]), log, played
        )
    return games


@dataclass
class Played:
    """All that was asked about one game, in the order of the asking."""

    id: str
    exchanges: list[Exchange] = field(default_factory=list)


def by_game(exchanges: Iterable[Exchange]) -> dict[str, Played]:
    """Sort exchanges by their game."""
    games: dict[str, Played] = {}
    for exchange in sorted(exchanges, key=lambda exchange: exchange.began):
        if game_id := exchange.game_id:
            games.setdefault(game_id, Played(game_id)).exchanges.append(exchange)
    return games


def check_game(played: Played, stored: Stored | None, kept_from: float) -> int:
    """Check invariant A of one game; return how many acknowledged moves are lost.

    What was acknowledged before ``kept_from`` may be lost, and may have been played otherwise
    since; whatever was acknowledged later must be there.
    """
    lost = 0
    fresh: Counter[tuple[int, str]] = Counter()
    for exchange in played.exchanges:
        kept = exchange.began >= kept_from
        if stored is None:
            assert not (kept and exchange.acknowledged), f"the game is gone: {exchange}"
            lost += exchange.moves and exchange.acknowledged
        elif exchange.acknowledged and not holds(exchange, stored):
            assert not kept, f"{exchange} is not in the log {stored.log!r}"
            lost += exchange.moves
        elif kept and exchange.status == HTTPStatus.NOT_FOUND:
            raise AssertionError(f"the game is there: {exchange}")
        elif kept and exchange.moves and exchange.status == HTTPStatus.CONFLICT:
            version, actions = _asked(exchange)
            done = len(actions) == 1 and stored.log.startswith(actions, version)
            assert not done, f"it is in the log, and so is no conflict: {exchange}"
        if kept and exchange.moves and exchange.acknowledged and not exchange.replayed:
            fresh[_asked(exchange)] += 1
    assert not fresh or max(fresh.values()) == 1, f"played twice: {fresh.most_common(1)}"
    if stored is not None:
        assert _explained(played, stored.log), f"{stored.log!r} holds what nobody asked for"
    return lost


def _asked(exchange: Exchange) -> tuple[int, str]:
    """Return the version that a request for actions names, and its actions as a log has them."""
    body = exchange.body or {}
    return body["version"], to_log(map(parse_action, body["actions"]))


def _explained(played: Played, log: str) -> bool:
    """Whether the log consists of requests, each whole and at the version that it named."""
    asked: dict[int, set[str]] = defaultdict(set)
    for exchange in played.exchanges:
        if exchange.moves:
            version, actions = _asked(exchange)
            asked[version].add(actions)
    reached = {0}
    for version in range(len(log)):
        if version in reached:
            reached |= {
                version + len(actions)
                for actions in asked[version]
                if log.startswith(actions, version)
            }
    return len(log) in reached


def holds(exchange: Exchange, stored: Stored) -> bool:
    """Whether an answer is what the game's log says."""
    body = exchange.json
    if exchange.creates:
        return _shows(body, stored, 0)
    if exchange.moves:
        return _caused(exchange, stored)
    match exchange.path.split("/")[4:]:
        case ["actions"]:
            state = _state(stored, body["version"])
            legal = [action["action"] for action in body["actions"]]
            return state is not None and state["actions"] == legal
        case ["history"]:
            actions = [parse_action(entry["action"]) for entry in body["history"][1:]]
            return stored.log.startswith(to_log(actions))
        case ["score"]:
            return bool(body["status"] == "playing" or body["score"] == stored.total)
        case _:
            return _shows(body, stored, body["version"])


def _caused(exchange: Exchange, stored: Stored) -> bool:
    """Whether the actions asked for are in the log, and led to what was answered."""
    body = exchange.json
    version, actions = _asked(exchange)
    end = version + len(actions)
    steps = stored.steps[version + 1 : end + 1]
    events = [public_event(event) for step in steps for event in step.events]
    return (
        stored.log.startswith(actions, version)
        and body["events"] == events
        and _shows(body, stored, end)
    )


def _state(stored: Stored, version: int) -> dict[str, object] | None:
    if version >= len(stored.steps):
        return None
    return public_state(stored.steps[version].state)


def _shows(body: Mapping[str, Any], stored: Stored, version: int) -> bool:
    state = _state(stored, version)
    commitment = hashlib.sha256(f"scoundrel\0{stored.seed}".encode()).hexdigest()
    return (
        state is not None
        and body["commitment"] == commitment
        and state == {name: body[name] for name in state}
    )


def check_creations(
    exchanges: Iterable[Exchange],
    played: Iterable[str],
    stored: Iterable[str],
    kept_from: float,
) -> None:
    """Check that each key made one game, and that there is no game that nobody asked for.

    What was made before ``kept_from`` may be lost, and made again.
    """
    by_key: dict[str, list[Exchange]] = defaultdict(list)
    unknown = 0
    for exchange in exchanges:
        if exchange.creates:
            if key := exchange.headers.get("Idempotency-Key"):
                by_key[key].append(exchange)
            else:
                unknown += not exchange.acknowledged
    for made in by_key.values():
        ids = {exchange.game_id for exchange in made if exchange.acknowledged}
        assert len(ids) <= 1, f"a key made {len(ids)} games: {made[0]}"
        fresh = [each for each in made if each.acknowledged and not each.replayed]
        assert len([each for each in fresh if each.began >= kept_from]) <= 1, (
            f"made twice: {made[0]}"
        )
        unknown += not ids
    nobodys = set(stored) - set(played)
    assert len(nobodys) <= unknown, f"{len(nobodys)} games that nobody asked for"


def check_boards(games: Mapping[str, Stored], redis: Redis) -> int:
    """Check invariant B; return how many games are ranked."""
    expected: dict[str, set[tuple[int, int, str]]] = defaultdict(set)
    for game in games.values():
        if game.total is not None and game.board is not None:
            expected[game.board].add((game.total, game.finished_at, game.id))
    actual = {}
    for key in map(str, redis.scan_iter("board:*", count=1000)):
        members = [str(member) for member in cast("list[str]", redis.zrange(key, 0, -1))]
        entries = [_entry(member) for member in members]
        assert entries == sorted(entries, key=lambda entry: (-entry[0], *entry[1:])), (
            f"order: {key}"
        )
        actual[key.removeprefix("board:")] = set(entries)
    for board in expected.keys() | actual.keys():
        missing = expected[board] - actual.get(board, set())
        false = actual.get(board, set()) - expected[board]
        assert not missing, f"missing on {board}: {missing}"
        assert not false, f"false on {board}: {false}"
    return sum(map(len, expected.values()))


def _entry(member: str) -> tuple[int, int, str]:
    """Read score, time of the finish and id of the member of a board."""
    return 500 - int(member[:3]), int(member[3:16]), member[16:]


def check_answers(exchanges: Iterable[Exchange]) -> None:
    """Check invariant C: every answer is documented, and none is a 500."""
    checked: Counter[str] = Counter()
    for exchange in exchanges:
        if exchange.reply is None:
            continue
        assert exchange.status != HTTPStatus.INTERNAL_SERVER_ERROR, f"{exchange}"
        operation = DOCUMENT.find(exchange.method, exchange.path)
        assert operation is not None, f"{exchange}"
        assert str(exchange.status) in operation.definition["responses"], f"{exchange}"
        checked[operation.id] += exchange.acknowledged
        if not exchange.acknowledged or checked[operation.id] <= CHECKED_WHOLE:
            DOCUMENT.check(exchange.method, exchange.path, exchange.reply)
