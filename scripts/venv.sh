#!/bin/sh
# Brings .venv to the state of the pinned requirements named: scripts/venv.sh requirements.txt.
# Safe to run several times at once. PYTHON names the interpreter of a new environment.
set -eu
cd "$(dirname "$0")/.."

wanted=$1
python=${PYTHON:-python3}
stamps=.venv/installed

# A stamp is a copy of what was installed; the last thing written, the first taken away.
current() {
    cmp -s "$1" "$stamps/$1" && .venv/bin/python -c '' 2>/dev/null && same_python
}

# Without PYTHON the interpreter that is there will do.
same_python() {
    [ -z "${PYTHON:-}" ] || [ "$(version "$python")" = "$(version .venv/bin/python)" ]
}

version() {
    "$1" -c 'import sys; print(*sys.version_info[:3])' 2>&1
}

current "$wanted" && exit 0

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "Python 3.11 or newer is needed, and $python is none: name one, make ... PYTHON=python3.12" >&2
    exit 1
fi

# The lock belongs to the open directory, so it needs no file and ends with this script.
exec 9<.
"$python" -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX)'
current "$wanted" && exit 0

echo "Setting up .venv from $wanted; this is done once." >&2
# What is there is kept only if the runtime's pins are what it was made from.
if ! current requirements.txt; then
    rm -rf "$stamps"
    "$python" -m venv --clear .venv
fi
.venv/bin/python -m pip install -qq --disable-pip-version-check --require-hashes -r "$wanted"
mkdir -p "$stamps"
for file in requirements.txt "$wanted"; do
    cp "$file" "$stamps/"
done
