#!/bin/sh
# Saves the games of a running store in an archive:
#   backup.sh DATA_DIRECTORY ARCHIVE.tar.gz [arguments of redis-cli, such as -h HOST -p PORT]
# DATA_DIRECTORY is where the store keeps its append-only files. The games go on meanwhile; what is
# played after the beginning may or may not be in the archive.
#
# To restore: stop the store, empty its directory, tar -xzf ARCHIVE.tar.gz -C DATA_DIRECTORY, start.
set -eu

data=$1
archive=$2
shift 2

store() {
    redis-cli "$@"
}

work=$(mktemp -d)
percentage=$(store "$@" CONFIG GET auto-aof-rewrite-percentage | tail -n 1)
trap 'store "$@" CONFIG SET auto-aof-rewrite-percentage "$percentage" >/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# While the files are rewritten they change; while they grow at the end, a copy is sound.
store "$@" CONFIG SET auto-aof-rewrite-percentage 0 >/dev/null
while store "$@" INFO persistence |
    grep -Eq '^(aof_rewrite_in_progress|aof_rewrite_scheduled|loading):1'; do
    sleep 1
done
cp -R "$data/appendonlydir" "$work/"
tar -czf "$archive" -C "$work" appendonlydir
