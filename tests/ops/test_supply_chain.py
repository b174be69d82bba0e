"""The installed packages: pinned with hashes, and with listed licences."""

from __future__ import annotations

import re
import runpy
from importlib.metadata import PackageNotFoundError, version

import pytest

from tests.servers import ROOT

PINS = (ROOT / "requirements.txt").read_text()


def _installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


@pytest.mark.skipif(
    not all(map(_installed, re.findall(r"^([\w.-]+)==", PINS, re.MULTILINE))),
    reason="a package is for another platform or Python version",
)
def test_the_page_of_licences_is_up_to_date() -> None:
    page = runpy.run_path(str(ROOT / "scripts" / "licences.py"))["page"]()
    assert (ROOT / "docs" / "LICENCES.md").read_text() == page


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dev.txt"])
def test_every_package_is_pinned_with_hashes(file: str) -> None:
    lines = (ROOT / file).read_text().replace("\\\n", " ").splitlines()
    packages = [line for line in lines if line and not line.lstrip().startswith("#")]
    assert len(packages) > 10
    for package in packages:
        assert re.match(r"[\w.-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", package), package


def test_every_package_has_a_licence() -> None:
    assert "| ? |" not in (ROOT / "docs" / "LICENCES.md").read_text()
