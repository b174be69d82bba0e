"""What follows from a game's log: what the engine says, whatever was known of the game before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from api.store import Game, Mode, UnreadableGame, game, games
from engine import Status, apply, begin, replay, rules_for, steps, to_log
from tests.store.play import LONGEST, LOST, create, longest, move, vectors

if TYPE_CHECKING:
    from api.store import Store
    from engine import Action, Record, State, Step

LOG = to_log(LOST.actions)
STRANGE = to_log(LOST.actions[::-1])
"""A log that does not belong to its game."""


def copy(record: Record = LOST, log: str | None = None, **changes: Any) -> Game:  # noqa: ANN401  # any field's value
    """Return a game as it comes from the store, of which nothing but its fields is known yet."""
    return Game(
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
    )._replace(**changes)


def at(record: Record, version: int) -> State:
    return replay(record.seed, record.actions[:version], record.rules.options)


@pytest.fixture
def applied(monkeypatch: pytest.MonkeyPatch) -> list[Action]:
    """The actions that games have applied to come by their state."""
    applied: list[Action] = []

    def noted(state: State, action: Action) -> Step:
        applied.append(action)
        return apply(state, action)

    monkeypatch.setattr(game, "apply", noted)
    return applied


def test_before_the_first_action_there_is_the_deal() -> None:
    assert copy(log="").deal == begin(LOST.seed, LOST.rules.options)
    assert copy(log="").state == begin(LOST.seed, LOST.rules.options).state


def test_what_is_known_of_a_game_is_what_the_engine_says() -> None:
    for record in vectors():
        played = copy(record)
        assert played.state == at(record, len(record.actions))
        assert played.over == (played.state.status is not Status.PLAYING)
        assert list(played.steps()) == list(
            steps(record.seed, record.actions, record.rules.options)
        )


def test_the_longest_game_is_replayed() -> None:
    record = longest()
    assert len(record.actions) == LONGEST
    assert copy(record).state == at(record, LONGEST)


def test_the_state_is_worked_out_once(applied: list[Action]) -> None:
    played = copy()
    for _ in range(2):
        assert played.state == at(LOST, len(LOG))
    assert applied == list(LOST.actions)


@pytest.mark.parametrize("version", range(len(LOG) + 1))
def test_a_later_copy_applies_only_what_is_new(applied: list[Action], version: int) -> None:
    earlier, later = copy(log=LOG[:version]), copy()
    assert earlier.state == at(LOST, version)
    applied.clear()
    later.follow(earlier)
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
    ids=["its seed", "its rules", "its log", "a longer log"],
)
def test_a_copy_of_another_game_by_the_same_id_is_not_followed(log: str, other: Game) -> None:
    played = copy(log=log)
    assert other.state != at(LOST, len(log))
    played.follow(other)
    assert played.state == at(LOST, len(log))


def test_a_copy_whose_state_nobody_asked_for_is_not_replayed(applied: list[Action]) -> None:
    copy().follow(copy(log=LOG[:2]))
    assert not applied


def test_a_log_that_is_not_the_game_s_is_unreadable() -> None:
    for _ in range(2):
        for strange in (copy(log=STRANGE), copy(log="?")):
            with pytest.raises(UnreadableGame):
                _ = strange.state
            with pytest.raises(UnreadableGame):
                strange.steps()


def test_to_follow_an_unreadable_copy_is_no_harm_by_itself() -> None:
    played = copy(log=STRANGE)
    played.follow(copy(log=STRANGE))
    with pytest.raises(UnreadableGame):
        _ = played.state


def test_a_game_that_was_read_before_follows_what_was_known(
    store: Store, applied: list[Action]
) -> None:
    played = create(store)
    assert played.state == at(LOST, 0)
    for version, action in enumerate(LOST.actions, 1):
        played = move(store, played, [action])
        assert store.games.read(played.id).state is played.state
        assert played.state == at(LOST, version)
    assert not applied


def test_to_read_a_page_of_games_replays_none_and_forgets_none(
    store: Store, applied: list[Action], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "MAX_COPIES", 1)
    others = [create(store) for _ in range(2)]
    played = create(store)
    store.games.read_all([other.id for other in others])
    assert store.games.recall(played.id) is played
    assert not applied
