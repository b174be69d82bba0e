#!/bin/sh
# Plays Scoundrel with curl and jq alone.
#
#   play.sh                 a new game, in the terminal
#   play.sh --game ID       go on with a game
#   play.sh --first         a whole game by itself: always what is listed first
#   play.sh --random        the same, but any action
#
# --url URL names the server (default: $SCOUNDREL_URL, else http://127.0.0.1:8000), --seed SEED,
# --ruleset NAME and --player NAME what is played. The token of a locked game is taken from
# $SCOUNDREL_TOKEN.
set -eu

url=${SCOUNDREL_URL:-http://127.0.0.1:8000} game='' how=ask
wish='{}' # the body that creates a game

wants() { # field, value
    wish=$(jq -nc --argjson wish "$wish" --arg name "$1" --arg value "$2" '$wish + {($name): $value}')
}

while [ $# -gt 0 ]; do
    case $1 in
        --first | --random) how=${1#--} ;;
        --url) url=${2:?} && shift ;;
        --game) game=${2:?} && shift ;;
        --seed | --ruleset | --player) wants "${1#--}" "${2:?}" && shift ;;
        *) sed -n '2,/^set/s/^#\( \|$\)//p' "$0" >&2 && exit 2 ;;
    esac
    shift
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
state=$work/state

# What names a game or opens one is a secret, and arguments are seen by everybody on the machine;
# so curl reads them from a file.
configure() { # option, value
    jq -nr --arg option "$1" --arg value "$2" '$option + " = " + ($value | tojson)'
}

# Sends a request, and the very same again until an answer arrives: the server carries it out once,
# however often it comes. Retry-After is kept to. Prints the status; the body is in $work/answer.
ask() { # path, then curl's arguments
    configure url "$url$1" >"$work/request"
    if [ -n "${SCOUNDREL_TOKEN:-}" ]; then
        configure header "Authorization: Bearer $SCOUNDREL_TOKEN" >>"$work/request"
    fi
    shift
    curl -sS -K "$work/request" -o "$work/answer" -w '%{http_code}' --max-time 10 \
        --retry "${SCOUNDREL_RETRIES:-7}" --retry-connrefused --retry-all-errors \
        "$@" 2>"$work/errors" && return
    tail -n 1 "$work/errors" >&2
    echo "The server cannot be reached.${game:+ Go on later with: --game $game}" >&2
    exit 1
}

# Takes the answer as the game's state. One that refuses is told, and the game looked at afresh.
settle() { # status
    case $1 in
        2*) cp "$work/answer" "$state" ;;
        409)
            jq -r '"\(.title): \(.detail)"' "$work/answer" >&2
            look
            ;;
        *)
            jq -r '"\(.title): \(.detail)", (.errors // [] | .[] | "\(.pointer) \(.detail)")' \
                "$work/answer" >&2
            exit 1
            ;;
    esac
}

look() {
    status=$(ask "/v1/games/$game")
    settle "$status"
}

create() {
    key="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
    configure header "Idempotency-Key: $key" >"$work/key"
    status=$(ask /v1/games -K "$work/key" -H 'Content-Type: application/json' --data "$wish")
    settle "$status"
    game=$(jq -r .id "$state")
    echo "Game $game" >&2
}

act() { # number of the action
    jq -c --argjson number "$1" '{version, actions: [.actions[$number - 1]]}' "$state" >"$work/act"
    status=$(ask "/v1/games/$game/actions" -H 'Content-Type: application/json' --data "@$work/act")
    settle "$status"
}

show() { # the table, without what is there to be pasted
    ask "/v1/games/$game" -H 'Accept: text/plain' >/dev/null
    sed '/^What you can do/,$d' "$work/answer"
}

# Sets $number, or ends the game for today.
choose() {
    while :; do
        printf 'Choose 1-%s, or q to go on another day: ' "$1"
        read -r number || number=q
        case $number in
            q) echo && echo "Go on with: --game $game" && exit 0 ;;
            '' | *[!0-9]* | ????*) ;;
            *) [ "$number" -ge 1 ] && [ "$number" -le "$1" ] && return ;;
        esac
    done
}
