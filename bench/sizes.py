"""The size of a run, chosen on the command line: ``--brief``, ``--long`` or the default."""

from __future__ import annotations

from argparse import ArgumentParser


def size_parser(module: str, *, brief: object, default: object, long: object) -> ArgumentParser:
    """Return a parser whose ``size`` is one of the three sizes."""
    parser = ArgumentParser(f"python -m {module}")
    parser.set_defaults(size=default)
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--brief",
        dest="size",
        action="store_const",
        const=brief,
        help="check that the benchmark works; too short for reliable figures",
    )
    choice.add_argument(
        "--long", dest="size", action="store_const", const=long, help="measure more, and longer"
    )
    return parser
