#!/bin/sh
# Installs the packages that tests need beside Python, on Debian as root. Elsewhere it lists the
# tests that will be skipped. It starts no services and does not change installed packages.
set -eu

# package, command that shows it is installed, tests that need it
packages() {
    cat <<'LIST'
python3-venv    -               all tests: the virtual environment
redis-server    redis-server    tests of the store on Redis, on a Cluster and under faults
nginx-light     nginx           tests of the shipped proxy
buildah         buildah         tests of the image
debootstrap     debootstrap     tests of the image: builds its base
docker-compose  docker-compose  test of the compose file with Compose
faketime        faketime        tests of expiry over a year, and of wrong clocks
openssl         openssl         test of the shipped proxy with TLS
curl            curl            tests of the sessions in the README and the guides
jq              jq              tests of the sessions in the README and the guides
chromium        chromium        tests of the pages in a browser
nodejs          node            tests of generated types, of the page's types, and linting
npm             npm             tests of generated types, of the page's types, and linting
shellcheck      shellcheck      test of the shell client
wrk             wrk             benchmarks over HTTP, and their tests
LIST
}

is_installed() { # package command
    if [ "$2" = - ]; then
        "${PYTHON:-python3}" -c 'import ensurepip, venv' 2>/dev/null
    else
        command -v "$2" >/dev/null
    fi
}

missing=
while read -r package command what; do
    is_installed "$package" "$command" && continue
    missing="$missing $package"
    [ -n "${reasons:-}" ] || reasons='Skipped because a package is missing:'
    reasons="$reasons
  $package: $what"
done <<LIST
$(packages)
LIST

[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
    printf '%s\n' "$reasons" >&2
    if command -v apt-get >/dev/null; then
        printf 'To run them: sudo apt-get install%s\n' "$missing" >&2
    fi
    exit 0
fi

# Debian starts a service when it is installed and at every boot. Prevent that: tests need no store
# on the standard port.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    trap 'exit 1' HUP INT TERM
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
fi

echo "Installing$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086 # several packages
apt-get install -qq -y --no-install-recommends -o DPkg::Lock::Timeout=120 $missing >/dev/null

case $missing in
    *redis-server*) update-rc.d redis-server disable ;;
esac
case $missing in
    *nginx*) update-rc.d nginx disable ;;
esac
