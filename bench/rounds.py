"""Rounds of measurements, and tables of their medians.

Each round measures everything once, so that a change in the machine's speed affects all alike. A
figure is the median over the rounds. A ratio is computed within each round, against the first row
of the table, and its median is printed.
"""

from __future__ import annotations

import sys
from statistics import median
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

T = TypeVar("T")

CELL = 12


class Column(NamedTuple, Generic[T]):
    """A column of a table."""

    heading: str
    format: str
    value: Callable[[T, T], float]
    """Computes a figure from a measurement and the baseline's measurement in the same round."""


def run_rounds(measures: Mapping[str, Callable[[], T]], rounds: int) -> dict[str, list[T]]:
    """Return the measurements of each name, one for each round."""
    names = [*measures]
    results: dict[str, list[T]] = {name: [] for name in names}
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            results[name].append(measures[name]())
    return results


def print_table(
    title: str, columns: Sequence[Column[T]], results: Mapping[str, Sequence[T]]
) -> None:
    """Print a table with a row for each name. The first row is the baseline."""
    width = max(map(len, results)) + 2
    print_lines("", title)
    print_lines(" " * width + "".join(f"{column.heading:>{CELL}}" for column in columns))
    baseline = next(iter(results.values()))
    for name, figures in results.items():
        cells = (
            f"{median(map(column.value, figures, baseline)):{column.format}}" for column in columns
        )
        print_lines(f"{name:{width}}" + "".join(f"{cell:>{CELL}}" for cell in cells))


def plural(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 worker``, ``2 workers``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def print_lines(*lines: str) -> None:
    """Print and flush, because a benchmark runs for minutes."""
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()
