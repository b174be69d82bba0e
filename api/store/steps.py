"""The replay of a log, remembered.

A game's state is never stored: it is a pure function of its options, its seed and its log. The
cache of that function is bounded and needs no invalidation.
"""

from functools import lru_cache

from engine import Options, Step, apply, begin, from_log

MAX_STEPS = 16384
"""How many steps are remembered; about 1 KB each."""


@lru_cache(maxsize=MAX_STEPS)
def step_after(options: Options, seed: str, log: str) -> Step:
    """Return the state after ``log`` and the events of its last action (of the deal if empty)."""
    if not log:
        return begin(seed, options)
    (action,) = from_log(log[-1])
    return apply(step_after(options, seed, log[:-1]).state, action)
