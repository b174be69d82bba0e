"""The fenced blocks of a guide, and what running them prints."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DOCS = Path(__file__).parents[2] / "docs"

_BLOCK = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_END = "-- end of block --"


class Block(NamedTuple):
    """A fenced block: its language, what is said behind that, and what is in it."""

    line: int
    language: str
    note: str
    text: str


class Example(NamedTuple):
    """A block to be run, and the block right behind it that says what that prints."""

    code: Block
    output: Block | None


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page."""
    return [
        Block(text.count("\n", 0, match.start()) + 1, match[1], match[2].strip(), match[3])
        for match in _BLOCK.finditer(text)
    ]


def examples(text: str, language: str) -> list[Example]:
    """Return the blocks of a page that are to be run, each with the output that it promises."""
    found = blocks(text)
    return [
        Example(block, then if then and then.language in {"json", "text"} else None)
        for block, then in zip(found, [*found[1:], None], strict=True)
        if (block.language, block.note) == (language, "run")
    ]


def run_shell(code: Sequence[str], directory: Path, replacing: Mapping[str, str]) -> list[str]:
    """Run pieces of one shell session and return what each prints; one that fails ends it."""
    script = "set -eu\n" + "".join(f"{piece}\necho '{_END}'\n" for piece in code)
    return _run(["sh", "-c", _replaced(script, replacing)], directory).split(f"{_END}\n")[:-1]


def run_node(code: str, directory: Path) -> str:
    """Run a JavaScript module and return what it prints."""
    module = directory / "example.mjs"
    module.write_text(code)
    return _run(["node", str(module)], directory)


def promised(block: Block) -> list[Any]:
    """Return the lines that an output block shows, JSON as what it means."""
    lines = block.text.splitlines()
    return [json.loads(line) for line in lines] if block.language == "json" else lines


def printed(output: str, like: Block) -> list[Any]:
    """Return the lines of an output, read as the block that promises it is."""
    return promised(like._replace(text=output))


def _run(command: Sequence[str], directory: Path) -> str:
    done = subprocess.run(
        command, cwd=directory, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def _replaced(text: str, replacing: Mapping[str, str]) -> str:
    for old, new in replacing.items():
        assert old in text, f"{old} is not on the page any more"
        text = text.replace(old, new)
    return text
