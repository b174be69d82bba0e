#!/bin/sh
# Writes requirements.txt and requirements-dev.txt from pyproject.toml, with the hashes of all files
# of each release. Keeps versions where possible; `scripts/lock.sh --upgrade` upgrades all. Requires
# the oldest supported Python; PYTHON names it.
set -eu
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))'; then
    echo "The pins must be written with Python 3.11; $python has another version." >&2
    exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
"$python" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check 'pip-tools>=7.5,<8'

# Hashes must not come from local wheels or mirrors.
export PIP_CONFIG_FILE=/dev/null
unset PIP_FIND_LINKS PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_CONSTRAINT

requirements() { # arguments: dependency groups to add
    "$python" - "$@" <<'PYTHON'
import sys, tomllib

with open("pyproject.toml", "rb") as file:
    metadata = tomllib.load(file)
print(*metadata["project"]["dependencies"], sep="\n")
for group in sys.argv[1:]:
    print(*metadata["dependency-groups"][group], sep="\n")
# redis and valkey require it on Python before 3.11.3, as in Debian 12 and Ubuntu.
print("async-timeout>=4.0.3")
PYTHON
}

pins() { # arguments: file, options of pip-compile; reads requirements from standard input
    file=$1
    shift
    cp "$file" "$work/$file" 2>/dev/null || : # keep pinned versions where possible
    "$work/venv/bin/pip-compile" --quiet --generate-hashes --strip-extras --allow-unsafe \
        --no-header --no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
        --no-emit-options --output-file "$work/$file" "$@" - >/dev/null
    {
        echo "# Written by scripts/lock.sh from pyproject.toml; do not edit."
        echo
        sed 's/# via -r -$/# via pyproject.toml/; s/#   -r -$/#   pyproject.toml/' "$work/$file"
    } >"$work/$file.new"
    cat "$work/$file.new" >"$file"
}

requirements | pins requirements.txt "$@"
requirements dev | pins requirements-dev.txt --constraint requirements.txt "$@"
