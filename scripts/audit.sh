#!/bin/sh
# Asks the Python Packaging Advisory Database whether a pinned release has a known vulnerability.
# It needs the network, so it is no part of the checks; run it before a release and now and then.
set -eu
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
"${PYTHON:-python3}" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q --disable-pip-version-check 'pip-audit>=2.9,<3'

for file in "${@:-requirements.txt}"; do
    # Pinned with hashes, so that nothing is resolved or installed. A package that cannot be looked
    # up is a failure, too.
    "$work/venv/bin/pip-audit" --strict --progress-spinner off --require-hashes --disable-pip -r "$file"
done
