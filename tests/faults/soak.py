"""Fault after fault at random while games are played, until time is up or something is wrong.

SECONDS=600 FAULTS_SEED=7 python -m tests.faults.soak
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import IO, TYPE_CHECKING

from tests.faults.driver import Driver, chosen_seed
from tests.faults.stage import staged
from tests.faults.table import FAULTS, Fault, suffer
from tests.servers import redis_binary, valkey_binary

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_SECONDS = 60
FAULTS_IN_A_ROUND = 6
"""Then the games are checked, and a new store begins."""


def main() -> None:
    """Soak, and print how it went."""
    until = time.monotonic() + float(os.environ.get("SECONDS") or DEFAULT_SECONDS)
    random = Random(chosen_seed())
    binaries = [binary for binary in (valkey_binary(), redis_binary()) if binary]
    faults = [fault for fault in FAULTS if not (fault.small_disk and os.getuid())]
    totals: Counter[str] = Counter()
    with Path(os.devnull).open("wb") as log:
        while time.monotonic() < until:
            chosen = random.sample(faults, FAULTS_IN_A_ROUND)
            seed = str(random.randrange(10**6))
            totals.update(soak(random.choice(binaries), chosen, seed, until, log))
    told = ", ".join(f"{count} {name}" for name, count in totals.items())
    say(f"Nothing was wrong: {told}.")


def soak(
    binary: str, faults: list[Fault], seed: str, until: float, log: IO[bytes]
) -> Mapping[str, int]:
    """Cause some faults on one stage, and check what is left; return what was done."""
    caused = 0
    random = Random(seed)
    with staged(binary, small_disk=any(fault.small_disk for fault in faults), log=log) as stage:
        say(f"A new {Path(binary).name}.")
        with Driver(stage.port, seed=seed) as driver:
            for fault in faults:
                suffered = suffer(fault, stage, driver, random)
                say(
                    f"{fault}: back after {suffered.recovered:.2f} s, no answer took longer than "
                    f"{suffered.slowest:.2f} s, {suffered.meanwhile}"
                )
                caused += 1
                if time.monotonic() > until:
                    break
        figures = driver.check(stage)
    return {
        "faults": caused,
        "requests": figures.requests,
        "of them unanswered": figures.unanswered,
        "moves acknowledged": figures.moves,
        "of them lost where that may be": figures.lost,
        "games finished": figures.finished,
        "ranked": figures.ranked,
    }


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
