#!/bin/sh
# Backs up the games of a running store to an archive:
#   backup.sh DATA_DIRECTORY ARCHIVE.tar.gz [arguments of redis-cli, such as -h HOST -p PORT]
# DATA_DIRECTORY is the directory of the store's append-only files. Games can continue; the archive
# may or may not include moves made during the backup. REDIS_CLI sets another redis-cli command, for
# example `docker compose exec -T redis redis-cli`. REDISCLI_AUTH is the store's password.
#
# To restore: stop the store, empty its directory, run tar --numeric-owner -xpzf ARCHIVE.tar.gz
# -C DATA_DIRECTORY, and start the store. Use root if the store runs as another user.
set -eu
umask 077 # the archive gives access to every game

data=$1
archive=$2
shift 2

fail() {
    echo "backup.sh: $1" >&2
    exit 1
}

store() {
    # REDIS_CLI may have several words.
    # shellcheck disable=SC2086
    ${REDIS_CLI:-redis-cli} "$@" </dev/null
}

# redis-cli prints errors, such as a wrong password, but exits with 0.
rewrite_at() {
    percentage=$1
    shift
    answer=$(store "$@" CONFIG SET auto-aof-rewrite-percentage "$percentage") || answer="no reply"
    [ "$answer" = OK ] ||
        fail "the store did not set auto-aof-rewrite-percentage to $percentage: $answer"
}

[ -d "$data/appendonlydir" ] || fail "no appendonlydir in $data"
said=$(store "$@" CONFIG GET auto-aof-rewrite-percentage) || fail "the store does not respond"
before=$(echo "$said" | tail -n 1)
case $before in
'' | *[!0-9]*) fail "the store did not return auto-aof-rewrite-percentage: $said" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"; rewrite_at "$before" "$@"' EXIT
trap 'exit 1' HUP INT TERM

# A copy is consistent while the files only grow, but not while they are rewritten.
rewrite_at 0 "$@"
while :; do
    info=$(store "$@" INFO persistence) || fail "the store does not respond"
    case $info in
    *aof_enabled:1*) ;;
    *) fail "the store has no append-only file: $info" ;;
    esac
    echo "$info" | grep -Eq '^(aof_rewrite_in_progress|aof_rewrite_scheduled|loading):1' || break
    sleep 1
done
# Keep the owners, so that the store can write the restored files.
cp -Rp "$data/appendonlydir" "$work/"
tar --numeric-owner -czf "$archive" -C "$work" appendonlydir
