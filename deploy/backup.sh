#!/bin/sh
# Saves the games of a running store in an archive:
#   backup.sh DATA_DIRECTORY ARCHIVE.tar.gz [arguments of redis-cli, such as -h HOST -p PORT]
# DATA_DIRECTORY is where the store keeps its append-only files. The games go on meanwhile; what is
# played after the beginning may or may not be in the archive. REDIS_CLI names another redis-cli,
# as `docker compose exec -T redis redis-cli`; REDISCLI_AUTH is the store's password.
#
# To restore, as root if the store runs as another user: stop the store, empty its directory,
# tar --numeric-owner -xpzf ARCHIVE.tar.gz -C DATA_DIRECTORY, start.
set -eu
umask 077 # whoever reads the archive can play every game

data=$1
archive=$2
shift 2

fail() {
    echo "backup.sh: $1" >&2
    exit 1
}

store() {
    # Several words are a command and its arguments.
    # shellcheck disable=SC2086
    ${REDIS_CLI:-redis-cli} "$@" </dev/null
}

# redis-cli prints a refusal, of a password for instance, and ends as if all were well.
rewrite_at() {
    percentage=$1
    shift
    answer=$(store "$@" CONFIG SET auto-aof-rewrite-percentage "$percentage") || answer="no answer"
    [ "$answer" = OK ] ||
        fail "the store did not set auto-aof-rewrite-percentage to $percentage: $answer"
}

[ -d "$data/appendonlydir" ] || fail "there is no appendonlydir in $data"
said=$(store "$@" CONFIG GET auto-aof-rewrite-percentage) || fail "the store does not answer"
before=$(echo "$said" | tail -n 1)
case $before in
'' | *[!0-9]*) fail "the store does not tell its auto-aof-rewrite-percentage: $said" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"; rewrite_at "$before" "$@"' EXIT
trap 'exit 1' HUP INT TERM

# While the files are rewritten they change; while they grow at the end, a copy is sound.
rewrite_at 0 "$@"
while :; do
    info=$(store "$@" INFO persistence) || fail "the store does not answer"
    case $info in
    *aof_enabled:1*) ;;
    *) fail "the store keeps no append-only file: $info" ;;
    esac
    echo "$info" | grep -Eq '^(aof_rewrite_in_progress|aof_rewrite_scheduled|loading):1' || break
    sleep 1
done
# With the owners, for the store must be able to write what is restored.
cp -Rp "$data/appendonlydir" "$work/"
tar --numeric-owner -czf "$archive" -C "$work" appendonlydir
