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

import os
import platform
import sys
from itertools import cycle
from pathlib import Path
from random import Random, shuffle
from statistics import median
from time import perf_counter_ns
from typing import TYPE_CHECKING, NamedTuple

from engine import apply, begin, deal, legal_actions, read, replay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine import Action, State

ROUNDS = 101
SEEDS = [f"bench-{number}" for number in range(300)]
WON = read(
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
    sys.stdout.write("\n".join((*machine(), "", *report(measures, rounds), "")))


def prepared() -> list[Measure]:
    """Return what is measured, the shuffle first, with all that it needs made before."""
    random = Random(0)
    numbers = [random.randrange(1 << 16) for _ in range(9973)]
    begun = [begin(seed).state for seed in SEEDS]
    moves = list(random_moves(begun, cycle(numbers)))
    states = [state for state, _ in moves]
    cards = list(range(44))

    def shuffles() -> None:
        for _ in range(500):
            shuffle(cards)

    def games_dealt() -> None:
        chosen = cycle(numbers)
        for seed in SEEDS:
            state = begin(seed).state
            while legal := legal_actions(state):
                state = apply(state, legal[next(chosen) % len(legal)]).state

    def games() -> None:
        chosen = cycle(numbers)
        for start in begun:
            state = start
            while legal := legal_actions(state):
                state = apply(state, legal[next(chosen) % len(legal)]).state

    def applied() -> None:
        for state, action in moves:
            apply(state, action)

    def asked() -> None:
        for state in states:
            legal_actions(state)

    def applied_and_asked() -> None:
        for state, action in moves:
            legal_actions(apply(state, action).state)

    def replays() -> None:
        for _ in range(20):
            replay(WON.seed, WON.actions, WON.rules.options)

    def deals() -> None:
        for seed in SEEDS:
            deal(seed)

    length = len(moves) / len(SEEDS)
    return [
        Measure("random.shuffle of 44 integers", 500, shuffles),
        Measure(f"random game of {length:.1f} actions, with its deal", len(SEEDS), games_dealt),
        Measure(f"random game of {length:.1f} actions, dealt before", len(SEEDS), games),
        Measure("apply, with its events", len(moves), applied),
        Measure("legal_actions", len(moves), asked),
        Measure("apply and legal_actions", len(moves), applied_and_asked),
        Measure(f"replay of {len(WON.actions)} actions, with the deal", 20, replays),
        Measure("deal", len(SEEDS), deals),
    ]


def random_moves(begun: list[State], chosen: Iterator[int]) -> Iterator[tuple[State, Action]]:
    """Yield every state and the action taken in it, of the games that are played."""
    for start in begun:
        state = start
        while legal := legal_actions(state):
            action = legal[next(chosen) % len(legal)]
            yield state, action
            state = apply(state, action).state


def timed(measure: Measure) -> float:
    """Return the nanoseconds that doing it once takes."""
    start = perf_counter_ns()
    measure.run()
    return (perf_counter_ns() - start) / measure.times


def machine() -> Iterator[str]:
    """Yield what it runs on."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    model = models[0] if models else platform.processor() or "unknown processor"
    yield f"{platform.machine()}, {os.cpu_count()} cores, {model}, {platform.system()}"
    yield f"{platform.python_implementation()} {platform.python_version()}, {ROUNDS} rounds"


def report(measures: list[Measure], rounds: list[list[float]]) -> Iterator[str]:
    """Yield a line for each measure: its time, its rate, and both against the shuffle's."""
    yield f"{'':45}{'ns':>9}{'a second':>12}{'of shuffle':>12}{'time':>8}"
    yield f"{'':45}{'':>9}{'':>12}{'rate':>12}{'ratio':>8}"
    for place, measure in enumerate(measures):
        time = median(figures[place] for figures in rounds)
        ratio = median(figures[place] / figures[0] for figures in rounds)
        yield f"{measure.name:45}{time:9.0f}{1e9 / time:12,.0f}{1 / ratio:12.3f}{ratio:8.3f}"


if __name__ == "__main__":
    main()
