#!/bin/sh
# Installs what the tests need beside Python, on Debian as root. Elsewhere it says which tests
# will be left out. Nothing is started, and nothing that was there before is changed.
set -eu

# package, command that proves it, what needs it
wanted() {
    cat <<'LIST'
python3-venv    -               every test: the virtual environment
redis-server    redis-server    the tests of the store on Redis, on a Cluster and under faults
nginx-light     nginx           the tests of the shipped proxy
buildah         buildah         the tests of the image, which is built for real
debootstrap     debootstrap     the tests of the image: its base is made with it
docker-compose  docker-compose  the test that a Compose reads the compose file
faketime        faketime        the tests of what a store forgets in a year, and of clocks that are wrong
openssl         openssl         the test of the shipped proxy with TLS
curl            curl            the tests that play the README's session by hand
jq              jq              the tests that play the README's session by hand
chromium        chromium        the tests of the pages in a browser
nodejs          node            the tests of the generated types, of the page's types and the linting
npm             npm             the tests of the generated types, of the page's types and the linting
shellcheck      shellcheck      the test of the shell client
wrk             wrk             the benchmarks over HTTP, and their tests
LIST
}

is_there() { # package command
    if [ "$2" = - ]; then
        "${PYTHON:-python3}" -c 'import ensurepip, venv' 2>/dev/null
    else
        command -v "$2" >/dev/null
    fi
}

missing=
while read -r package command what; do
    is_there "$package" "$command" && continue
    missing="$missing $package"
    [ -n "${reasons:-}" ] || reasons='Left out for want of a package:'
    reasons="$reasons
  $package: $what"
done <<LIST
$(wanted)
LIST

[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
    printf '%s\n' "$reasons" >&2
    if command -v apt-get >/dev/null; then
        printf 'To have them: sudo apt-get install%s\n' "$missing" >&2
    fi
    exit 0
fi

# Debian starts a service when it is installed, and again with the machine. A store on the
# standard port is not what somebody who runs tests has asked for.
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
