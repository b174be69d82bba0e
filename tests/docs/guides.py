"""The code blocks of a guide, and the output of running them."""

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
    """A fenced code block: its language, the note after the language, and its text."""

    line: int
    language: str
    note: str
    text: str


class Example(NamedTuple):
    """A block to run, and the block after it with the expected output."""

    code: Block
    output: Block | None


def blocks(text: str) -> list[Block]:
    """Return the code blocks of a page."""
    return [
        Block(text.count("\n", 0, match.start()) + 1, match[1], match[2].strip(), match[3])
        for match in _BLOCK.finditer(text)
    ]


def examples(text: str, language: str) -> list[Example]:
    """Return the blocks of a page that are marked ``run``, with their expected output."""
    found = blocks(text)
    return [
        Example(block, then if then and then.language in {"json", "text"} else None)
        for block, then in zip(found, [*found[1:], None], strict=True)
        if (block.language, block.note) == (language, "run")
    ]


def run_shell(code: Sequence[str], directory: Path, replacing: Mapping[str, str]) -> list[str]:
    """Run the parts of a shell session and return their outputs; stop at the first failure."""
    script = "set -eu\n" + "".join(f"{piece}\necho '{_END}'\n" for piece in code)
    return _run(["sh", "-c", _replaced(script, replacing)], directory).split(f"{_END}\n")[:-1]


def run_node(code: str, directory: Path) -> str:
    """Run a JavaScript module and return its output."""
    module = directory / "example.mjs"
    module.write_text(code)
    return _run(["node", str(module)], directory)


def promised(block: Block) -> list[Any]:
    """Return the lines of an output block; lines of JSON are parsed."""
    lines = block.text.splitlines()
    return [json.loads(line) for line in lines] if block.language == "json" else lines


def printed(output: str, like: Block) -> list[Any]:
    """Return the lines of an output, parsed like the block ``like``."""
    return promised(like._replace(text=output))


def _run(command: Sequence[str], directory: Path) -> str:
    done = subprocess.run(
        command, cwd=directory, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def _replaced(text: str, replacing: Mapping[str, str]) -> str:
    for old, new in replacing.items():
        assert old in text, f"{old} is missing from the page"
        text = text.replace(old, new)
    return text
