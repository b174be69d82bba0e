"""The engine's speed, beside that of ``random.shuffle`` on 44 integers: ``python -m bench.engine``.

The shuffle is there so that figures of different machines can be compared. All that is measured
takes turns, a short batch of each in every round, so that a change in the machine's pace strikes
all alike. A figure is the median over the rounds; so is a ratio, which is taken within each round.

A random game takes each action by ``legal[number % len(legal)]``; the numbers were drawn before
from a fixed seed and are the same in every round. The figures include that choice, the loop around
whatever is measured, and the garbage collector, which stays on. The replay is that of a game which
was won.

A state carries its legal actions, so that asking for them reads a field. The figure that counts is
that of applying an action and asking for what is legal then, together.
"""

from __future__ import annotations

from functools import partial
from itertools import cycle
from random import Random, shuffle
from statistics import median
from time import perf_counter_ns
from typing import TYPE_CHECKING, NamedTuple

from bench.machine import described
from bench.rounds import say
from engine import apply, begin, deal, legal_actions, parse_notation, replay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from engine import Action, State

    Move = tuple[State, Action]

ROUNDS = 101
SEEDS = [f"bench-{number}" for number in range(300)]
WON = parse_notation(
    "original/demo-original-1/6D ASw JCw 9Cw 5Sw 8H a 4Sw 6H 2D 9D ACw KSw 5H 4H QSw TCw 5Cw 4D TH "
    "3D 3Cw TD 6Sb 3H a TSw 9Sw 8Cw 7Cw 7Sw 3Sw a 5D JSw 9H 6Cw 7D 8D a KCw QCw 8Sw 7H 4Cw 2Cw 2H "
    "2Sw"
)


class Measure(NamedTuple):
    """Something to time: ``run`` does it ``times`` times over."""

    name: str
    times: int
    run: Callable[[], object]


def main() -> None:
    """Measure and print."""
    measures = prepared()
    rounds = [[timed(measure) for measure in measures] for _ in range(ROUNDS)]
    say(*described(), f"{ROUNDS} rounds", "", *report(measures, rounds))


def prepared() -> tuple[Measure, ...]:
    """Return what is measured, the shuffle first, with all that it needs made before."""
    random = Random(0)  # noqa: S311  # the same play each time is wanted
    numbers = [random.randrange(1 << 16) for _ in range(9973)]
    begun = [begin(seed).state for seed in SEEDS]
    moves = list(random_moves(begun, numbers))
    games, length = len(SEEDS), len(moves) / len(SEEDS)
    return (
        Measure("random.shuffle of 44 integers", 500, partial(shuffles, list(range(44)), 500)),
        Measure(
            f"random game of {length:.1f} actions, with its deal", games, partial(dealt, numbers)
        ),
        Measure(
            f"random game of {length:.1f} actions, dealt before",
            games,
            partial(played, begun, numbers),
        ),
        Measure("apply, with its events", len(moves), partial(applied, moves)),
        Measure("legal_actions", len(moves), partial(asked, [state for state, _ in moves])),
        Measure("apply and legal_actions", len(moves), partial(applied_and_asked, moves)),
        Measure(f"replay of {len(WON.actions)} actions, with its deal", 20, partial(replays, 20)),
        Measure("deal", games, deals),
    )


def random_moves(begun: list[State], numbers: list[int]) -> Iterator[Move]:
    """Yield every state and the action taken in it, of the games that ``played`` plays."""
    chosen = cycle(numbers)
    for start in begun:
        state = start
        while legal := legal_actions(state):
            action = legal[next(chosen) % len(legal)]
            yield state, action
            state = apply(state, action).state


def shuffles(cards: list[int], times: int) -> None:
    """Shuffle as Python does."""
    for _ in range(times):
        shuffle(cards)


def dealt(numbers: list[int]) -> None:
    """Deal and play a random game of each seed."""
    chosen = cycle(numbers)
    for seed in SEEDS:
        state = begin(seed).state
        while legal := legal_actions(state):
            state = apply(state, legal[next(chosen) % len(legal)]).state


def played(begun: list[State], numbers: list[int]) -> None:
    """Play a random game from each state."""
    chosen = cycle(numbers)
    for start in begun:
        state = start
        while legal := legal_actions(state):
            state = apply(state, legal[next(chosen) % len(legal)]).state


def applied(moves: list[Move]) -> None:
    """Apply each action to its state."""
    for state, action in moves:
        apply(state, action)


def asked(states: list[State]) -> None:
    """Ask what is legal in each state."""
    for state in states:
        legal_actions(state)


def applied_and_asked(moves: list[Move]) -> None:
    """Apply each action and ask what is legal then."""
    for state, action in moves:
        legal_actions(apply(state, action).state)


def replays(times: int) -> None:
    """Replay the game that was won."""
    for _ in range(times):
        replay(WON.seed, WON.actions, WON.rules.options)


def deals() -> None:
    """Deal each seed."""
    for seed in SEEDS:
        deal(seed)


def timed(measure: Measure) -> float:
    """Return the nanoseconds that doing it once takes."""
    start = perf_counter_ns()
    measure.run()
    return (perf_counter_ns() - start) / measure.times


def report(measures: Sequence[Measure], rounds: list[list[float]]) -> Iterator[str]:
    """Yield a line for each measure: its time and rate, and both as multiples of the shuffle's."""
    yield f"{'':46}{'ns':>9}{'a second':>12}{'x time':>9}{'x rate':>9}"
    for place, measure in enumerate(measures):
        time = median(figures[place] for figures in rounds)
        ratio = median(figures[place] / figures[0] for figures in rounds)
        yield f"{measure.name:46}{time:9.0f}{1e9 / time:12,.0f}{ratio:9.3f}{1 / ratio:9.3f}"


if __name__ == "__main__":
    main()
