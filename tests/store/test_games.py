"""Games in the store: creating, reading, appending, and expiry."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from api.store import (
    Game,
    GameNotFound,
    LogMoved,
    Mode,
    Store,
    UnreadableGame,
)
from engine import ACTIONS, DRAW, OPTIONS, from_log, parse_rules, rules_for, to_log
from tests.store.play import (
    DAY,
    LONGEST,
    LOST,
    WON,
    clock,
    create,
    finish,
    longest,
    move,
    new_game,
    one_short,
    random_record,
    state_after,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from redis import Redis

    from engine import Record
    from tests.servers import StoreServer

HALF = WON._replace(actions=WON.actions[: len(WON.actions) // 2])
BYTES_HALFWAY = 220
"""Measured: 176 bytes in Valkey and 200 in Redis with the expiry, plus the player's name.

A field too long for the compact encoding would take several times as much.
"""

ALL_OPTIONS = parse_rules(
    "original+" + ",".join(f"{name}={list(option.values)[-1]}" for name, option in OPTIONS.items())
)
CUSTOM = rules_for("strict", {"leave": 2, "health": 99})
EVERYTHING: Mapping[str, Mapping[str, Any]] = {
    "standard": {},
    "named": {"player": "Zoë"},
    "longest name": {"player": "\N{OLD PERSIAN SIGN A}" * 24},
    "seeded": {"mode": Mode.SEEDED, "seed": "demo-1"},
    "longest seed": {"mode": Mode.SEEDED, "seed": "~" * 64},
    "locked": {"locked": True},
    "custom": {"rules": CUSTOM},
    "all options": {"rules": ALL_OPTIONS},
    "other ruleset": {"rules": rules_for("gravekeeper")},
}


def _key(game: Game) -> str:
    return f"game:{game.id}"


@pytest.mark.parametrize("fields", EVERYTHING.values(), ids=EVERYTHING)
def test_a_new_game_is_read_as_it_was_created(store: Store, fields: Mapping[str, Any]) -> None:
    new = new_game(**fields)
    game, created = store.games.create(new)
    assert created
    assert {name: getattr(game, name) for name in vars(new)} == vars(new)
    assert game.log == ""
    assert store.games.read(new.id) == game
    assert store.games.read_all([new.id]) == [game]


@pytest.mark.parametrize("fields", EVERYTHING.values(), ids=EVERYTHING)
def test_a_game_is_read_with_its_appended_actions(store: Store, fields: Mapping[str, Any]) -> None:
    game = create(store, **fields)
    for _ in range(3):
        game = move(store, game, game.state.legal[:1])
        assert store.games.read(game.id) == game
    assert len(game.log) == 3


def test_every_action_can_be_stored_in_a_log(store: Store) -> None:
    game = create(store)
    game = store.games.append(game, ACTIONS, game.state)
    assert from_log(store.games.read(game.id).log) == ACTIONS


def test_an_unknown_game_is_not_found(store: Store) -> None:
    with pytest.raises(GameNotFound):
        store.games.read("unknown")


def test_several_games_are_read_in_order_with_none_for_missing_ones(store: Store) -> None:
    one, other = create(store), create(store)
    assert store.games.read_all([other.id, "gone", one.id]) == [other, None, one]
    assert store.games.read_all([]) == []


@pytest.mark.parametrize("player", [None, "Zoë", "\N{OLD PERSIAN SIGN A}" * 24])
def test_a_half_played_game_needs_little_memory(
    store: Store, redis: Redis, player: str | None
) -> None:
    seed = "R" * 32  # the length of a generated seed
    game = create(store, player=player, seed=seed)
    halfway = store.games.append(game, HALF.actions, game.state)
    used = redis.memory_usage(_key(halfway), samples=0)
    print(f"{len(HALF.actions)} actions, player {player}: {used} bytes")  # noqa: T201  # a figure
    name = len((player or "").encode())
    assert used is not None
    assert used <= BYTES_HALFWAY + name + (name and 10)


def test_the_longest_game_uses_the_compact_encoding(store: Store, redis: Redis) -> None:
    game = create(store, player="\N{OLD PERSIAN SIGN A}" * 24, seed="~" * 64, rules=ALL_OPTIONS)
    store.games.append(game, [DRAW] * LONGEST, game.state)
    assert redis.object("encoding", _key(game)) == "listpack"


def test_the_longest_game_can_be_played_to_its_end(store: Store) -> None:
    record = longest()
    game = create(store, record)
    for action in record.actions:
        game = move(store, game, [action])
    assert game.over
    assert store.games.read(game.id).log == to_log(record.actions)


def test_creating_a_game_with_a_used_id_returns_the_existing_game(store: Store) -> None:
    game = move(store, create(store, player="first"), LOST.actions[:2])
    other = new_game(WON, id=game.id, player="second", mode=Mode.SEEDED, locked=True)
    assert store.games.create(other) == (game, False)
    assert store.games.read(game.id) == game


def test_append_returns_the_game_with_the_new_actions(store: Store) -> None:
    game = create(store)
    for action in LOST.actions[:3]:
        before = game
        game = move(store, game, [action])
        assert game.log == before.log + action.char
    assert game.log == to_log(LOST.actions[:3])


class Moved:
    """Logs another worker may have cached of a game that has the first 3 actions of ``LOST``."""

    here = to_log(LOST.actions[:3])
    others: Mapping[str, str] = {
        "before": here[:2],
        "empty": "",
        "ahead": here + LOST.actions[3].char,
        "other end": here[:2] + LOST.actions[4].char,
        "other beginning": LOST.actions[4].char + here[1:],
    }


@pytest.mark.parametrize("remembered", Moved.others.values(), ids=Moved.others)
def test_actions_based_on_another_log_are_not_appended(
    store: Store, redis: Redis, remembered: str
) -> None:
    game = move(store, create(store), LOST.actions[:3])
    before = redis.hgetall(_key(game))
    decided_on = replace(game, log=remembered)
    with pytest.raises(LogMoved) as moved:
        store.games.append(decided_on, LOST.actions[3:4], game.state)
    assert moved.value.game == game
    assert redis.hgetall(_key(game)) == before
    assert redis.pexpiretime(_key(game)) == game.expires_at


def test_actions_based_on_another_seed_are_not_appended(store: Store) -> None:
    game = create(store)
    with pytest.raises(LogMoved) as moved:
        store.games.append(replace(game, seed="another"), LOST.actions[:1], game.state)
    assert moved.value.game == game
    assert store.games.read(game.id) == game


def test_log_moved_carries_the_whole_current_game(store: Store) -> None:
    game = create(store, player="Zoë", locked=True, rules=CUSTOM)
    now = move(store, game, game.state.legal[:1])
    with pytest.raises(LogMoved) as moved:
        move(store, game, game.state.legal[1:2])
    assert moved.value.game == now


def test_appending_to_a_missing_game_does_not_recreate_it(store: Store, redis: Redis) -> None:
    for game in (create(store), move(store, create(store), LOST.actions[:2])):
        redis.delete(_key(game))
        with pytest.raises(GameNotFound):
            move(store, game, LOST.actions[len(game.log) :][:1])
        assert not redis.exists(_key(game))


def test_times_come_from_the_clock_of_the_store(
    store: Store, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 0.0)
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    times = [clock(redis)]
    game = create(store)
    times += [game.created_at, clock(redis)]
    assert game.updated_at == game.created_at
    moved = move(store, game, LOST.actions[:1])
    times += [moved.updated_at, clock(redis)]
    assert moved.created_at == game.created_at
    assert times == sorted(times)


def _expires(redis: Redis, game: Game) -> int | None:
    """Return when a game expires, checking that store and game agree."""
    expires = int(redis.pexpiretime(_key(game)))
    assert (game.expires_at or -1) == expires
    return game.expires_at


KINDS: Mapping[str, Mapping[str, Any]] = {
    "standard": {},
    "seeded": {"mode": Mode.SEEDED},
    "custom": {"rules": rules_for("original", {"bonus": "none"})},
    "custom and seeded": {"rules": rules_for("original", {"bonus": "none"}), "mode": Mode.SEEDED},
}


@pytest.mark.parametrize("fields", KINDS.values(), ids=KINDS)
def test_a_game_without_moves_expires_after_a_day(
    store: Store, redis: Redis, fields: Mapping[str, Any]
) -> None:
    game = create(store, **fields)
    assert _expires(redis, game) == game.created_at + DAY


@pytest.mark.parametrize("fields", KINDS.values(), ids=KINDS)
def test_an_unfinished_game_expires_30_days_after_its_last_move(
    store: Store, redis: Redis, fields: Mapping[str, Any]
) -> None:
    game = create(store, **fields)
    for action in LOST.actions[:2]:
        game = move(store, game, [action])
        # The next append must set a new expiry.
        assert _expires(redis, game) == game.updated_at + 30 * DAY
        redis.pexpire(_key(game), DAY)


def test_a_won_ranked_game_never_expires(store: Store, redis: Redis) -> None:
    game = finish(store, WON)
    assert _expires(redis, game) is None
    assert store.games.read(game.id).expires_at is None


@pytest.mark.parametrize("days", [1, 365, 36500])
def test_a_lost_ranked_game_expires_after_the_configured_days(
    server: StoreServer, redis: Redis, days: int
) -> None:
    game = finish(Store(server.url, keep_lost_days=days))
    assert _expires(redis, game) == game.updated_at + days * DAY


def test_a_lost_ranked_game_never_expires_with_0_days(server: StoreServer, redis: Redis) -> None:
    assert _expires(redis, finish(Store(server.url, keep_lost_days=0))) is None


@pytest.mark.parametrize("record", [WON, LOST], ids=["won", "lost"])
@pytest.mark.parametrize("kind", ["seeded", "custom", "custom and seeded"])
def test_a_finished_custom_or_seeded_game_expires_after_30_days(
    server: StoreServer, redis: Redis, record: Record, kind: str
) -> None:
    game = finish(Store(server.url, keep_lost_days=0), record, **KINDS[kind])
    assert _expires(redis, game) == game.updated_at + 30 * DAY


def test_the_finish_time_is_the_time_of_the_last_move(store: Store, redis: Redis) -> None:
    game = one_short(store)
    before = clock(redis)
    finished = move(store, game, LOST.actions[-1:])
    assert before <= finished.updated_at <= clock(redis)


def test_a_batch_is_appended_completely_or_not_at_all(store: Store) -> None:
    record = random_record(1)
    game = create(store, record)
    after = state_after(game, record.actions)
    store.append(game, record.actions, after)
    with pytest.raises(LogMoved):
        store.append(game, record.actions[:3], after)
    assert store.games.read(game.id).log == to_log(record.actions)


@pytest.mark.parametrize(
    ("field", "value"), [("f", "2"), ("r", "chess"), ("m", "daily"), ("c", "noon"), ("a", "~")]
)
def test_a_game_with_an_unknown_field_value_is_unreadable(
    store: Store, redis: Redis, field: str, value: str
) -> None:
    game = create(store)
    redis.hset(_key(game), field, value)
    with pytest.raises(UnreadableGame):
        _ = store.games.read(game.id).state


def test_a_game_with_a_missing_field_is_unreadable(store: Store, redis: Redis) -> None:
    game = create(store)
    redis.hdel(_key(game), "s")
    with pytest.raises(UnreadableGame):
        store.games.read(game.id)
