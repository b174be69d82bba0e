#!/bin/sh
# Installs the pinned requirements into .venv: scripts/venv.sh requirements.txt. Several can run at
# the same time. PYTHON names the interpreter of a new environment.
set -eu
cd "$(dirname "$0")/.."

requirements=$1
python=${PYTHON:-python3}
stamps=.venv/installed

# A stamp is a copy of the installed requirements. It is written last and removed first.
current() {
    cmp -s "$1" "$stamps/$1" && .venv/bin/python -c '' 2>/dev/null && same_python
}

# Without PYTHON, keep the existing interpreter.
same_python() {
    [ -z "${PYTHON:-}" ] || [ "$(version "$python")" = "$(version .venv/bin/python)" ]
}

version() {
    "$1" -c 'import sys; print(*sys.version_info[:3])' 2>&1
}

current "$requirements" && exit 0

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "Python 3.11 or newer is required, but $python is not: make ... PYTHON=python3.12" >&2
    exit 1
fi

# Lock the directory itself, so no lock file is needed. The lock ends with this script.
exec 9<.
"$python" -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX)'
current "$requirements" && exit 0

echo "Setting up .venv from $requirements; this happens only once." >&2
# Keep the environment only if it has the current pins of requirements.txt.
if ! current requirements.txt; then
    rm -rf "$stamps"
    "$python" -m venv --clear .venv
fi
.venv/bin/python -m pip install -qq --disable-pip-version-check --require-hashes -r "$requirements"
mkdir -p "$stamps"
for file in requirements.txt "$requirements"; do
    cp "$file" "$stamps/"
done
