"""The engine's speed compared with ``random.shuffle`` of 44 integers: ``python -m bench.engine``.

The shuffle makes figures of different machines comparable.

A random game chooses each action by ``legal[number % len(legal)]``, with numbers drawn in advance
from a fixed seed and the same in every round. The figures include that choice, the loop and the
garbage collector, which stays enabled. The replayed game is a won one.

A state holds its legal actions, so ``legal_actions`` only reads a field. The figure that counts is
"apply and legal_actions".
"""

from __future__ import annotations

from functools import partial
from itertools import cycle
from random import Random, shuffle
from time import perf_counter_ns
from typing import TYPE_CHECKING

from bench.machine import describe_machine
from bench.rounds import Column, plural, print_lines, print_table, run_rounds
from bench.sizes import size_parser
from engine import apply, begin, deal, legal_actions, parse_notation, replay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from engine import Action, State

    Move = tuple[State, Action]

SEEDS = [f"bench-{number}" for number in range(300)]
WON = parse_notation(
    "original/demo-original-1/6D ASw JCw 9Cw 5Sw 8H a 4Sw 6H 2D 9D ACw KSw 5H 4H QSw TCw 5Cw 4D TH "
    "3D 3Cw TD 6Sb 3H a TSw 9Sw 8Cw 7Cw 7Sw 3Sw a 5D JSw 9H 6Cw 7D 8D a KCw QCw 8Sw 7H 4Cw 2Cw 2H "
    "2Sw"
)
COLUMNS: tuple[Column[float], ...] = (
    Column("ns", ".0f", lambda time, _: time),
    Column("per second", ",.0f", lambda time, _: 1e9 / time),
    Column("time ratio", ".3f", lambda time, baseline: time / baseline),
    Column("rate ratio", ".3f", lambda time, baseline: baseline / time),
)


def main() -> None:
    """Measure and print."""
    rounds: int = size_parser("bench.engine", brief=3, default=101, long=1001).parse_args().size
    print_lines(*describe_machine())
    results = run_rounds(measures(), rounds)
    print_table(f"medians of {plural(rounds, 'round')}", COLUMNS, results)


def measures() -> dict[str, Callable[[], float]]:
    """Return the measures, each of which returns the nanoseconds of one operation."""
    random = Random(0)  # noqa: S311  # the same games every time
    numbers = [random.randrange(1 << 16) for _ in range(9973)]
    starts = [begin(seed).state for seed in SEEDS]
    moves = list(random_moves(starts, numbers))
    states = [state for state, _ in moves]
    game = f"random game of {len(moves) / len(SEEDS):.1f} actions"
    operations: dict[str, tuple[int, Callable[[], None]]] = {
        "random.shuffle of 44 integers": (500, partial(shuffle_times, 500)),
        f"{game}, with deal": (len(SEEDS), partial(deal_and_play, numbers)),
        f"{game}, without deal": (len(SEEDS), partial(play, starts, numbers)),
        "apply, with events": (len(moves), partial(apply_all, moves)),
        "legal_actions": (len(moves), partial(list_all, states)),
        "apply and legal_actions": (len(moves), partial(apply_and_list_all, moves)),
        f"replay of {len(WON.actions)} actions, with deal": (20, partial(replay_times, 20)),
        "deal": (len(SEEDS), deal_all),
    }
    return {name: partial(nanoseconds, *operation) for name, operation in operations.items()}


def random_moves(starts: Sequence[State], numbers: Sequence[int]) -> Iterator[Move]:
    """Yield each state and its action in the games that ``play`` plays."""
    chosen = cycle(numbers)
    for start in starts:
        state = start
        while legal := legal_actions(state):
            action = legal[next(chosen) % len(legal)]
            yield state, action
            state = apply(state, action).state


def shuffle_times(times: int) -> None:
    """Shuffle some number of times."""
    cards = list(range(44))
    for _ in range(times):
        shuffle(cards)


def deal_and_play(numbers: Sequence[int]) -> None:
    """Deal each seed and play it at random."""
    play((begin(seed).state for seed in SEEDS), numbers)


def play(starts: Iterable[State], numbers: Sequence[int]) -> None:
    """Play a random game from each state."""
    chosen = cycle(numbers)
    for start in starts:
        state = start
        while legal := legal_actions(state):
            state = apply(state, legal[next(chosen) % len(legal)]).state


def apply_all(moves: Sequence[Move]) -> None:
    """Apply each action to its state."""
    for state, action in moves:
        apply(state, action)


def list_all(states: Sequence[State]) -> None:
    """List the legal actions of each state."""
    for state in states:
        legal_actions(state)


def apply_and_list_all(moves: Sequence[Move]) -> None:
    """Apply each action and list the legal actions after it."""
    for state, action in moves:
        legal_actions(apply(state, action).state)


def replay_times(times: int) -> None:
    """Replay the won game some number of times."""
    for _ in range(times):
        replay(WON.seed, WON.actions, WON.rules.options)


def deal_all() -> None:
    """Deal each seed."""
    for seed in SEEDS:
        deal(seed)


def nanoseconds(times: int, run: Callable[[], None]) -> float:
    """Return the duration of one operation, of which ``run`` does as many as ``times``."""
    start = perf_counter_ns()
    run()
    return (perf_counter_ns() - start) / times


if __name__ == "__main__":
    main()
