"""The remembered replay: what the engine says, whatever was asked before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from api.store.steps import MAX_STEPS, step_after
from engine import IllegalAction, Options, begin, choose, replay, steps, to_log
from tests.store.play import LONGEST, LOST, longest, random_record, vectors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine import Step

# A request comes through some 60 frames of gunicorn, Flask and our own.
FRAMES_OF_A_REQUEST = 200


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    step_after.cache_clear()
    yield
    step_after.cache_clear()


def _deep(frames: int, options: Options, seed: str, log: str) -> Step:
    if frames:
        return _deep(frames - 1, options, seed, log)
    return step_after(options, seed, log)


def test_before_the_first_action_there_is_the_deal() -> None:
    assert step_after(Options(), "demo", "") == begin("demo")


def test_every_version_of_a_game_is_what_the_engine_says() -> None:
    for record in vectors():
        options = record.rules.options
        log = to_log(record.actions)
        for version, step in enumerate(steps(record.seed, record.actions, options)):
            assert step_after(options, record.seed, log[:version]) == step


def test_asking_for_the_end_first_changes_nothing() -> None:
    record = vectors()[0]
    options, log = record.rules.options, to_log(record.actions)
    end = step_after(options, record.seed, log)
    assert end.state == replay(record.seed, record.actions, options)
    middle = replay(record.seed, record.actions[:20], options)
    assert step_after(options, record.seed, log[:20]).state == middle


def test_the_longest_game_is_replayed_deep_down_in_a_request() -> None:
    record = longest()
    assert len(record.actions) == LONGEST
    step = _deep(FRAMES_OF_A_REQUEST, record.rules.options, record.seed, to_log(record.actions))
    assert step.state == replay(record.seed, record.actions, record.rules.options)


def test_games_that_differ_in_one_option_are_kept_apart() -> None:
    some, others = choose().options, choose("original", {"health": 30}).options
    log = to_log(LOST.actions[:1])
    assert step_after(some, LOST.seed, log).state.health == 12
    assert step_after(others, LOST.seed, log).state.health == 22


def test_games_that_differ_in_the_seed_are_kept_apart() -> None:
    one, other = step_after(Options(), "demo-1", ""), step_after(Options(), "demo-2", "")
    assert one.state.deck != other.state.deck


def test_a_log_of_another_game_is_refused_and_not_remembered() -> None:
    strange = to_log(LOST.actions)
    for _ in range(2):
        with pytest.raises(IllegalAction):
            step_after(Options(), "demo", strange)


def test_what_is_remembered_is_bounded() -> None:
    asked = 0
    for luck in range(MAX_STEPS):
        record = random_record(luck)
        step_after(record.rules.options, record.seed, to_log(record.actions))
        asked += len(record.actions) + 1
        if asked > MAX_STEPS:
            break
    assert asked > MAX_STEPS
    assert step_after.cache_info().currsize == MAX_STEPS
