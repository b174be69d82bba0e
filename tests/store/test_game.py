"""A game's state and steps are computed from its log, reusing an earlier known state."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from api.store import Game, Mode, UnreadableGame, game, games
from engine import Status, apply_all, begin, replay, rules_for, steps, to_log
from tests.store.play import LONGEST, LOST, create, longest, move, vectors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from api.store import Store
    from engine import Action, Record, State, Step

LOG = to_log(LOST.actions)
STRANGE = to_log(LOST.actions[::-1])
"""A log whose actions are not legal in the game."""


def copy(record: Record = LOST, log: str | None = None, **changes: Any) -> Game:  # noqa: ANN401  # any field value
    """Return a game as read from the store, with its state not computed yet."""
    return replace(
        Game(
            id="a-game",
            rules=record.rules,
            seed=record.seed,
            mode=Mode.STANDARD,
            player=None,
            locked=False,
            created_at=0,
            updated_at=0,
            expires_at=None,
            log=to_log(record.actions) if log is None else log,
        ),
        **changes,
    )


def at(record: Record, version: int) -> State:
    return replay(record.seed, record.actions[:version], record.rules.options)


@pytest.fixture
def applied(monkeypatch: pytest.MonkeyPatch) -> list[Action]:
    """The actions that were applied to compute states."""
    applied: list[Action] = []

    def recorded(state: State, actions: Sequence[Action]) -> Iterator[Step]:
        applied.extend(actions)
        return apply_all(state, actions)

    monkeypatch.setattr(game, "apply_all", recorded)
    return applied


def test_a_new_game_has_the_state_of_its_deal() -> None:
    assert copy(log="").deal == begin(LOST.seed, LOST.rules.options)
    assert copy(log="").state == begin(LOST.seed, LOST.rules.options).state


def test_state_and_steps_equal_those_of_the_engine() -> None:
    for record in vectors():
        played = copy(record)
        assert played.state == at(record, len(record.actions))
        assert played.over == (played.state.status is not Status.PLAYING)
        assert list(played.steps) == list(steps(record.seed, record.actions, record.rules.options))


def test_the_longest_game_can_be_replayed() -> None:
    record = longest()
    assert len(record.actions) == LONGEST
    assert copy(record).state == at(record, LONGEST)


def test_the_state_is_computed_once(applied: list[Action]) -> None:
    played = copy()
    for _ in range(2):
        assert played.state == at(LOST, len(LOG))
    assert applied == list(LOST.actions)


@pytest.mark.parametrize("version", range(len(LOG) + 1))
def test_a_later_copy_applies_only_the_new_actions(applied: list[Action], version: int) -> None:
    earlier, later = copy(log=LOG[:version]), copy()
    assert earlier.state == at(LOST, version)
    applied.clear()
    later = later.knowing(earlier)
    assert later.state == at(LOST, len(LOG))
    assert applied == list(LOST.actions[version:])


@pytest.mark.parametrize(
    ("log", "other"),
    [
        ("", copy(log="", seed="another")),
        ("", copy(log="", rules=rules_for("original", {"health": 30}))),
        (LOG[:1], copy(log=to_log(at(LOST, 0).legal[1:2]))),
        (LOG[:1], copy()),
    ],
    ids=["other seed", "other rules", "other log", "longer log"],
)
def test_the_state_of_a_different_game_is_not_used(log: str, other: Game) -> None:
    played = copy(log=log)
    assert other.state != at(LOST, len(log))
    assert played.knowing(other).state == at(LOST, len(log))


def test_an_unknown_state_is_not_computed_eagerly(applied: list[Action]) -> None:
    copy().knowing(copy(log=LOG[:2]))
    assert not applied


def test_a_log_with_illegal_actions_is_unreadable() -> None:
    for _ in range(2):
        for strange in (copy(log=STRANGE), copy(log="?")):
            with pytest.raises(UnreadableGame):
                _ = strange.state
            with pytest.raises(UnreadableGame):
                _ = strange.steps


def test_an_unreadable_earlier_copy_raises_only_when_the_state_is_read() -> None:
    played = copy(log=STRANGE)
    played = played.knowing(copy(log=STRANGE))
    with pytest.raises(UnreadableGame):
        _ = played.state


def test_a_game_that_is_read_again_keeps_its_state(store: Store, applied: list[Action]) -> None:
    played = create(store)
    assert played.state == at(LOST, 0)
    for version, action in enumerate(LOST.actions, 1):
        played = move(store, played, [action])
        assert store.games.read(played.id).state is played.state
        assert played.state == at(LOST, version)
    assert not applied


def test_reading_many_games_replays_no_game_and_evicts_no_copy(
    store: Store, applied: list[Action], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "MAX_COPIES", 1)
    others = [create(store) for _ in range(2)]
    played = create(store)
    store.games.read_all([other.id for other in others])
    assert store.games.recall(played.id) is played
    assert not applied
