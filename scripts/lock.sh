#!/bin/sh
# Writes requirements.txt and requirements-dev.txt from pyproject.toml, every release with the
# hashes of all its files. Versions stay unless they must move; `scripts/lock.sh --upgrade` moves
# them all. The oldest supported Python has to do it: PYTHON names it.
set -eu
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))'; then
    echo "Python 3.11 must write the pins; $python is another." >&2
    exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
"$python" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check 'pip-tools>=7.5,<8'

# This machine's own wheels and mirrors must not lend their hashes to everybody.
export PIP_CONFIG_FILE=/dev/null
unset PIP_FIND_LINKS PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_CONSTRAINT

requirements() { # the dependency groups to add
    "$python" - "$@" <<'PYTHON'
import sys, tomllib

with open("pyproject.toml", "rb") as file:
    metadata = tomllib.load(file)
print(*metadata["project"]["dependencies"], sep="\n")
for group in sys.argv[1:]:
    print(*metadata["dependency-groups"][group], sep="\n")
# redis and valkey ask for it on Python before 3.11.3, which is Debian 12's and Ubuntu's.
print("async-timeout>=4.0.3")
PYTHON
}

pins() { # file, then pip-compile's arguments; requirements on standard input
    file=$1
    shift
    cp "$file" "$work/$file" 2>/dev/null || : # what stands there is kept where it can be
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
