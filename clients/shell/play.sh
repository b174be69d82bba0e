#!/bin/sh
# Plays Scoundrel with curl and jq alone.
#
#   play.sh                 a new game, in the terminal
#   play.sh --game ID       goes on with a game
#   play.sh --first         plays a whole game by itself: always what is listed first
#   play.sh --random        the same, with anything that is listed
#
# --seed SEED, --ruleset NAME and --player NAME say what to play, --url URL where. $PLAY_TOKEN opens
# a locked game, and $PLAY_RETRIES (5) bounds how often an unanswered request is repeated.
set -eu

url=http://127.0.0.1:8000 game='' how=ask wish='{}'

while [ $# -gt 0 ]; do
    case $1 in
        --first | --random) how=${1#--} ;;
        --url) url=${2:?} && shift ;;
        --game) game=${2:?} && shift ;;
        --seed | --ruleset | --player)
            wish=$(printf %s "$wish" | jq -c --arg value "${2:?}" ".${1#--} = \$value") && shift ;;
        *) sed -n '2,/^set/s/^#\( \|$\)//p' "$0" >&2 && exit 2 ;;
    esac
    shift
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM

# Ids, keys and tokens are secrets, and everybody on a machine sees what a command was called
# with. So curl reads them from a file.
configure() { # option, value
    jq -nr --arg name "$1" --arg value "$2" '"\($name) = \($value | tojson)"' >>"$work/request"
}

give_up() {
    echo "The server does not answer.${game:+ Go on later with: --game $game}" >&2
    exit 1
}

# Sends a request, and the very same again until it is answered: however often it arrives, the
# server carries it out once. The answer is left in a file, its status in $status.
request() { # path, then arguments for curl
    configure url "$url$1"
    [ -z "${PLAY_TOKEN:-}" ] || configure header "Authorization: Bearer $PLAY_TOKEN"
    shift
    status=$(curl --no-progress-meter -K "$work/request" -o "$work/answer" -w '%{http_code}' \
        --max-time 10 --retry "${PLAY_RETRIES:-5}" --retry-connrefused --retry-all-errors \
        "$@") || give_up
    rm "$work/request"
    case $status in 2*) return ;; esac
    jq -r '"\(.title). \(.detail)", (.errors // [] | .[] | "\(.pointer) \(.detail)")' \
        "$work/answer" >&2 2>/dev/null || echo "The server answers $status." >&2
    # Somebody else played: there is something new to choose from.
    [ "$status" = 409 ] || exit 1
}

post() { # path, body, then arguments for curl
    path=$1 body=$2
    shift 2
    request "$path" -H 'Content-Type: application/json' --data-binary "$body" "$@"
}

look() {
    request "/v1/games/$game"
    mv "$work/answer" "$work/state"
}

show() { # the table, but not what is there to be pasted
    echo && sed '/^What you can do/,$d' "$work/answer"
}

table() {
    request "/v1/games/$game" -H 'Accept: text/plain'
    show
}

# Sets $number to what the player chooses.
choose() { # how many there are
    request "/v1/games/$game/actions"
    jq -r '.actions | to_entries[] | "\(.key + 1)) \(.value.action)"
        + (.value | if .deadly then ", and die" else ", health \(.health_after)" end)' "$work/answer"
    while printf 'Which (1-%s, q to leave)? ' "$1"; do
        read -r number || number=q
        case $number in
            q) echo "Go on with: --game $game" && exit ;;
            [1-9] | [1-9][0-9]) [ "$number" -gt "$1" ] || return 0 ;;
        esac
    done
}

if [ -z "$game" ]; then
    configure header "Idempotency-Key: $(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
    post /v1/games "$wish"
    game=$(jq -r .id "$work/answer")
    echo "Game $game"
fi
look
[ "$how" != ask ] || table

while count=$(jq '.actions | length' "$work/state") && [ "$count" -gt 0 ]; do
    case $how in
        first) number=1 ;;
        random) number=$(($(od -An -N2 -tu2 /dev/urandom) % count + 1)) ;;
        ask) choose "$count" ;;
    esac
    move=$(jq -c "{version, actions: [.actions[$number - 1]]}" "$work/state")
    post "/v1/games/$game/actions" "$move" -H 'Accept: text/plain'
    case $how$status in
        ask409) table ;;
        ask*) show ;;
    esac
    look
done

[ "$how" = ask ] || table
request "/v1/games/$game/history"
jq -r '"The game in one line: \(.notation)"' "$work/answer"
