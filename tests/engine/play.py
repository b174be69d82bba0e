"""Whole games for Hypothesis: any options, any seed, good and bad players."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Any, cast

from hypothesis import strategies as st

from engine import (
    AVOID,
    OPTIONS,
    Action,
    Card,
    How,
    Kind,
    Options,
    Step,
    apply,
    begin,
    effect,
    legal_actions,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine import State

_value_of: dict[str, st.SearchStrategy[object]] = {
    name: st.sampled_from(list(option.values.values())) for name, option in OPTIONS.items()
}

any_options: st.SearchStrategy[Options] = st.one_of(
    st.fixed_dictionaries(_value_of),
    # With much health a game reaches the end of the dungeon.
    st.fixed_dictionaries({**_value_of, "health": st.integers(80, 99)}),
).map(lambda values: Options(**cast("dict[str, Any]", values)))

any_seed = st.text(ascii_letters + digits + "._~-", min_size=1, max_size=64)


@dataclass(frozen=True)
class Game:
    """A game played to its end."""

    options: Options
    seed: str
    actions: tuple[Action, ...]
    steps: tuple[Step, ...]

    @property
    def states(self) -> tuple[State, ...]:
        return tuple(step.state for step in self.steps)

    @property
    def end(self) -> State:
        return self.steps[-1].state


any_luck = st.integers(0, 2**32 - 1)

Player = tuple[float, float, int]
"""Probability of the least harmful action, probability of avoiding a room, random seed."""

any_player: st.SearchStrategy[Player] = st.tuples(
    st.sampled_from([0.0, 0.6, 0.95, 1.0]),
    st.sampled_from([0.0, 0.1, 1.0]),
    any_luck,
)


@st.composite
def games(
    draw: Callable[[st.SearchStrategy[Any]], Any],
    options: st.SearchStrategy[Options] = any_options,
) -> Game:
    return play(draw(any_seed), draw(options), draw(any_player))


def play(seed: str, options: Options, player: Player) -> Game:
    care, caution, luck = player
    random = Random(luck)
    steps = [begin(seed, options)]
    actions: list[Action] = []
    while legal := legal_actions(steps[-1].state):
        actions.append(_choose(steps[-1].state, legal, care, caution, random))
        steps.append(apply(steps[-1].state, actions[-1]))
    return Game(options, seed, tuple(actions), tuple(steps))


def _choose(
    state: State, legal: Sequence[Action], care: float, caution: float, random: Random
) -> Action:
    if AVOID in legal:
        if random.random() < caution:
            return AVOID
        legal = legal[:-1]
    if random.random() < care:
        return min(legal, key=lambda action: _harm(state, action))
    return random.choice(legal)


def _harm(state: State, action: Action) -> float:
    """Estimate the cost of an action in health, healing or use of the weapon."""
    outcome = effect(state, action)
    weapon = state.weapon
    match action.card:
        case Card(kind=Kind.POTION, value=value):
            return value - outcome.healed
        case Card(kind=Kind.WEAPON) if weapon:
            return min([weapon.card.value, *(slain.value for slain in weapon.monsters)])
        case Card(value=value) if action.how is How.WEAPON:
            return outcome.damage + (14 - value) / 2
        case _:
            return outcome.damage
