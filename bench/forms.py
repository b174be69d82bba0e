"""How much a benchmark measures: the usual, or by its argument much more or hardly anything."""

from __future__ import annotations

from argparse import ArgumentParser
from enum import Enum


class Form(Enum):
    """A form of a benchmark; what it means in figures stands in each."""

    BRIEF = "brief"
    USUAL = "usual"
    LONG = "long"


def form_asked(module: str) -> Form:
    """Return the form that the command line asks for."""
    parser = ArgumentParser(f"python -m {module}")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--brief",
        dest="form",
        action="store_const",
        const=Form.BRIEF,
        help="only show that it works: the figures say nothing",
    )
    choice.add_argument(
        "--long", dest="form", action="store_const", const=Form.LONG, help="more, and for longer"
    )
    parser.set_defaults(form=Form.USUAL)
    form: Form = parser.parse_args().form
    return form
