#!/bin/sh
# Plays Scoundrel with only curl and jq.
#
#   play.sh                 a new game, in the terminal
#   play.sh --game ID       continues a game
#   play.sh --first         plays a whole game by itself, always with the first legal action
#   play.sh --random        plays a whole game by itself, with random legal actions
#
# --seed SEED, --ruleset NAME and --player NAME set up a new game; --url URL names the server.
# $PLAY_TOKEN is the token of a locked game, $PLAY_RETRIES (5) the number of retries of a request.
set -eu

url=http://127.0.0.1:8000 game='' mode=ask new_game='{}'

while [ $# -gt 0 ]; do
    case $1 in
        --first | --random) mode=${1#--} ;;
        --url) url=${2:?} && shift ;;
        --game) game=${2:?} && shift ;;
        --seed | --ruleset | --player)
            new_game=$(printf %s "$new_game" | jq -c --arg value "${2:?}" ".${1#--} = \$value")
            shift
            ;;
        *) sed -n '2,/^set/s/^#\( \|$\)//p' "$0" >&2 && exit 2 ;;
    esac
    shift
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

# Ids, keys and tokens are secrets, and every user of a machine can see the arguments of a command.
# So curl reads them from a file.
configure() { # option, value
    jq -nr --arg name "$1" --arg value "$2" '"\($name) = \($value | tojson)"' >>"$work/request"
}

give_up() {
    echo "The server does not respond.${game:+ Continue later with: --game $game}" >&2
    exit 1
}

# Sends a request and repeats it on faults; the server carries out a repeated request only once.
# Leaves the response in $work/response and its status in $status.
request() { # path, then arguments for curl
    configure url "$url$1"
    [ -z "${PLAY_TOKEN:-}" ] || configure header "Authorization: Bearer $PLAY_TOKEN"
    shift
    status=$(curl --no-progress-meter -K "$work/request" -o "$work/response" -w '%{http_code}' \
        --max-time 10 --retry "${PLAY_RETRIES:-5}" --retry-connrefused --retry-all-errors \
        "$@") || give_up
    rm "$work/request"
    case $status in 2*) return ;; esac
    jq -r '"\(.title). \(.detail)", (.errors // [] | .[] | "\(.pointer) \(.detail)")' \
        "$work/response" >&2 2>/dev/null || echo "The server responded with status $status." >&2
    # 409: someone else played, so continue with the new state.
    [ "$status" = 409 ] || exit 1
}

post() { # path, body, then arguments for curl
    path=$1 body=$2
    shift 2
    request "$path" -H 'Content-Type: application/json' --data-binary "$body" "$@"
}

load() {
    request "/v1/games/$game"
    mv "$work/response" "$work/state"
}

show() { # the table without the commands to paste
    echo && sed '/^Legal actions/,$d' "$work/response"
}

table() {
    request "/v1/games/$game" -H 'Accept: text/plain'
    show
}

# Sets $number to the player's choice.
choose() { # number of actions
    request "/v1/games/$game/actions"
    jq -r '.actions | to_entries[] | "\(.key + 1)) \(.value.action)"
        + (.value | if .deadly then ", and die" else ", health \(.health_after)" end)' "$work/response"
    while printf 'Which (1-%s, q to leave)? ' "$1"; do
        read -r number || number=q
        case $number in
            q) echo "Continue with: --game $game" && exit ;;
            [1-9] | [1-9][0-9]) [ "$number" -gt "$1" ] || return 0 ;;
        esac
    done
}

if [ -z "$game" ]; then
    configure header "Idempotency-Key: $(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
    post /v1/games "$new_game"
    game=$(jq -r .id "$work/response")
    echo "Game $game"
fi
load
[ "$mode" != ask ] || table

while count=$(jq '.actions | length' "$work/state") && [ "$count" -gt 0 ]; do
    case $mode in
        first) number=1 ;;
        random) number=$(($(od -An -N2 -tu2 /dev/urandom) % count + 1)) ;;
        ask) choose "$count" ;;
    esac
    move=$(jq -c "{version, actions: [.actions[$number - 1]]}" "$work/state")
    post "/v1/games/$game/actions" "$move" -H 'Accept: text/plain'
    case $mode$status in
        ask409) table ;;
        ask*) show ;;
    esac
    load
done

[ "$mode" = ask ] || table
request "/v1/games/$game/history"
jq -r '"The game in one line: \(.notation)"' "$work/response"
