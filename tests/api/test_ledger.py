"""The ledger over HTTP: boards, their order, and pagination."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest

from api.store import Mode, Store
from engine import RULESETS, Status, parse_notation, replay, rules_for, score
from tests.api.client import UNKNOWN_ID, Api, refused
from tests.playing import Record as Playable
from tests.playing import act, begin, play_through, record
from tests.servers import StoreServer, serving, valkey_binary, wait_until
from tests.store.play import LOST, WON, clock, create, finish, random_record, vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from redis import Redis

    from api.store import Game
    from engine import Record
    from tests.api.documented import Document
    from tests.servers import Reply

SEED = "ledger-1"
LIMIT = 4

# In every published ruleset a game can be lost with a score of 0: killed by the last monster at
# exactly 0 health.
ZERO_SCORES = {
    "original": "original/demo-original-1/6D ASw JCw 9Cw 5Sw 8H a 4Sw 6H 2D 9D ACw KSw 5H 4H QSw "
    "TCw 5Cw 4D TH 3D 3Cw TD 6Sb 3H a TSw 9Sw 8Cw 7Cw 7Sw 3Sw a 5D JSw 9H 6Cw 7D 8D a KCw QCw 4Cw "
    "2Cb 2H 7H 2Sb 8Sb",
    "gamemaker": "gamemaker/demo-gamemaker-1/a 7Cb 8H JCb 6D ACw 2H 7H QCw 9Sw 5H 8Cw 6Cw 5Cw 4D "
    "TH 6Sw 5D 9Cw 7Sw 5Sw 3Cw a 3Sw 4H 8D ASw JSw 9H TCw 4Cw 6H 2Cw 3D 9D 7D TD KCw a KSw QSw TSw "
    "a 8Sw 4Sb 2Sb",
    "strict": "strict/demo-strict-1/2D 4Cw 6H 5D TSw 4H a 8Cw 4D 5Cw 9D ASw JCw 9Sw 3Cw 8D JSw 9Cw "
    "8Sw 7Sw 7D 5H TCw 4Sw 3Sw 2Sw TD KSw QCw 6Cw 7H 5Sw 6D 9H 2Cb KCw 2H TH 6Sb 3H 7Cw 3D 8H ACw "
    "QSw",
    "gravekeeper": "gravekeeper/demo-gravekeeper-1/d d d d 9H 3Sb 2D d d d 8D JCw 6H d d d 8Sw 7Sw "
    "5Cw d d d 3Cw 5D 9D d d d 4Sb TCw 4H d d d 8Cw 6Sw 5Sw d d d 3H 4Cw 7D d d d 9Cw 6Cw TD d d d "
    "a d d d d ACw ASw QCw d d d QSw 7H 2Sw d d d 3D 6D 5H d d d KSw 8H 2Cb d d d TH KCw TSw d d d "
    "9Sw 7Cw 4D d 2H JSw",
}


@pytest.fixture(scope="module")
def own_server() -> Iterator[StoreServer]:
    """A separate store, with boards for these tests only."""
    with StoreServer(valkey_binary()) as server:
        yield server


@pytest.fixture(scope="module")
def running(own_server: StoreServer, document: Document) -> Iterator[Api]:
    with serving(own_server, workers=1) as running:
        yield Api(running, document)


@pytest.fixture
def redis(own_server: StoreServer) -> Iterator[Redis]:
    """A direct client of the store, which starts empty."""
    with own_server.client as client:
        client.flushall()
        yield client


@pytest.fixture
def store(own_server: StoreServer, redis: Redis) -> Iterator[Store]:
    """The store behind the API, to finish games quickly."""
    assert not redis.dbsize()
    store = Store(own_server.url)
    yield store
    store.forget_connections()


@pytest.fixture
def api(running: Api, redis: Redis) -> Api:
    """The API with empty boards."""
    assert not redis.dbsize()
    return running


def ledger(api: Api, **arguments: Any) -> Reply:  # noqa: ANN401  # any query value
    query = "&".join(f"{name}={value}" for name, value in arguments.items())
    reply = api.get(f"/v1/ledger?{query}")
    assert reply.status == 200, reply.body
    return reply


def board(api: Api, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401  # any query value
    body: dict[str, Any] = ledger(api, **arguments).json
    return body


def ids(page: dict[str, Any]) -> list[str]:
    return [entry["game_id"] for entry in page["entries"]]


def ranks(page: dict[str, Any]) -> list[int]:
    return [entry["rank"] for entry in page["entries"]]


def ranking(games: list[Game]) -> list[str]:
    """Return the IDs of finished games in the order of their board."""
    return [game.id for game in sorted(games, key=_place)]


def _place(game: Game) -> tuple[int, int, str]:
    total = score(game.state).score
    assert total is not None
    return -total, game.updated_at, game.id


def many(store: Store, count: int, first: int = 0) -> list[Game]:
    """Finish games of one seed, with few different scores so that some are equal."""
    random = Random(first)
    records = [random_record(random.randrange(12), seed=SEED) for _ in range(count)]
    return [finish(store, each, mode=Mode.SEEDED) for each in records]


def finished_later(store: Store, redis: Redis, game: Record = LOST, **changes: Any) -> Game:  # noqa: ANN401  # any field value
    """Finish a game at least a millisecond after all earlier ones."""
    before = clock(redis)
    wait_until(lambda: clock(redis) > before)
    return finish(store, game, **changes)


# Boards.


@pytest.mark.parametrize("query", ["", "?ruleset=strict", "?seed=nobody", "?ruleset=strict&seed=a"])
def test_a_board_without_games_is_empty(api: Api, query: str) -> None:
    reply = api.get(f"/v1/ledger{query}")
    actual = {name: reply.json[name] for name in ("total", "entries", "next_cursor")}
    assert actual == {"total": 0, "entries": [], "next_cursor": None}
    assert "Link" not in reply.headers


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("", "original"),
        ("?ruleset=original", "original"),
        ("?ruleset=strict", "strict"),
        ("?seed=a.b~c-d_e", "original/a.b~c-d_e"),
        ("?seed=a&ruleset=gravekeeper", "gravekeeper/a"),
    ],
)
def test_a_board_is_named_by_its_ruleset_and_seed(api: Api, query: str, name: str) -> None:
    assert api.get(f"/v1/ledger{query}").json["board"] == name


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_standard_game_is_only_on_the_board_of_its_ruleset(
    api: Api, store: Store, ruleset: str
) -> None:
    game = finish(store, random_record(1, rules_for(ruleset)))
    assert ids(board(api, ruleset=ruleset)) == [game.id]
    for other in set(RULESETS) - {ruleset}:
        assert not ids(board(api, ruleset=other))
    assert not ids(board(api, ruleset=ruleset, seed=game.seed))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_seeded_game_is_only_on_the_board_of_its_ruleset_and_seed(api: Api, ruleset: str) -> None:
    game_id = play_through(api, record(SEED, ruleset))
    assert ids(board(api, ruleset=ruleset, seed=SEED)) == [game_id]
    assert not ids(board(api, ruleset=ruleset))
    assert not ids(board(api, ruleset=ruleset, seed=SEED + "0"))
    for other in set(RULESETS) - {ruleset}:
        assert not ids(board(api, ruleset=other, seed=SEED))


@pytest.mark.parametrize("mode", Mode)
def test_a_custom_game_is_on_no_board(api: Api, store: Store, redis: Redis, mode: Mode) -> None:
    custom = rules_for("original", {"overkill": "ignored"})
    game = finish(store, random_record(1, custom, seed=SEED), mode=mode)
    actual = api.get(f"/v1/games/{game.id}/score").json
    assert (actual["rank"], actual["board"]) == (None, None)
    for query in ({}, {"seed": SEED}, {"ruleset": "gamemaker"}):
        assert board(api, **query)["total"] == 0
    assert not list(redis.scan_iter("board:*"))


def test_an_unfinished_game_is_on_no_board(api: Api) -> None:
    game = record(SEED)
    game_id, _ = begin(api, game)
    for version, action in enumerate(game.actions[:-1]):
        act(api, game_id, version, action)
        assert board(api, seed=SEED)["total"] == 0
    act(api, game_id, len(game.actions) - 1, game.actions[-1])
    assert ids(board(api, seed=SEED)) == [game_id]


# Entries.


@pytest.mark.parametrize("game", [WON, LOST], ids=["won", "lost"])
@pytest.mark.parametrize("player", ["Zo\u00eb \u5893\u5b88", None])
def test_an_entry_describes_its_game(
    api: Api, store: Store, game: Record, player: str | None
) -> None:
    finished = finish(store, game, player=player)
    body = api.get(f"/v1/games/{finished.id}").json
    assert body["status"] == ("won" if game is WON else "lost")
    assert board(api)["entries"] == [
        {
            "rank": 1,
            "score": body["score"],
            "status": body["status"],
            "player": player,
            "game_id": finished.id,
            "finished_at": body["updated_at"],
        }
    ]


# Order.


def test_a_better_score_ranks_higher_regardless_of_time(
    api: Api, store: Store, redis: Redis
) -> None:
    records = [random_record(luck, seed=SEED) for luck in range(12)]
    games = [finished_later(store, redis, each, mode=Mode.SEEDED) for each in records]
    page = board(api, seed=SEED)
    scores = [entry["score"] for entry in page["entries"]]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) > 4
    assert ranks(page) == list(range(1, 13))
    assert ids(page) == ranking(games)


def test_the_earlier_of_equal_scores_ranks_higher(api: Api, store: Store, redis: Redis) -> None:
    """No two entries share a rank."""
    games = [finished_later(store, redis) for _ in range(8)]
    page = board(api)
    assert ids(page) == [game.id for game in games]
    assert ranks(page) == list(range(1, 9))


def test_a_player_may_have_two_entries_with_the_same_score(
    api: Api, store: Store, redis: Redis
) -> None:
    first, second = (finished_later(store, redis, player="Anna") for _ in range(2))
    page = board(api)
    actual = [(entry["player"], entry["game_id"]) for entry in page["entries"]]
    assert actual == [("Anna", first.id), ("Anna", second.id)]
    assert len({entry["score"] for entry in page["entries"]}) == 1


@pytest.mark.parametrize("line", ZERO_SCORES.values(), ids=ZERO_SCORES)
def test_a_score_of_0_ranks_between_wins_and_losses(api: Api, store: Store, line: str) -> None:
    zero = parse_notation(line)
    (won,) = (
        each
        for each in vectors()
        if (each.rules, each.seed) == (zero.rules, zero.seed)
        and replay(each.seed, each.actions, each.rules.options).status is Status.WON
    )
    lost = random_record(0, zero.rules, zero.seed)
    games = [finish(store, each, mode=Mode.SEEDED) for each in (lost, zero, won)]
    page = board(api, ruleset=zero.rules.ruleset, seed=zero.seed)
    assert ids(page) == [game.id for game in reversed(games)]
    assert [entry["status"] for entry in page["entries"]] == ["won", "lost", "lost"]
    scores = [entry["score"] for entry in page["entries"]]
    assert scores[0] > scores[1] == 0 > scores[2]


# Page size.


@pytest.mark.parametrize(
    "limit", ["0", "101", "-1", "+1", "1.0", "1e1", "", "ten", "%D9%A1", "0x1"]
)
def test_an_invalid_limit_is_refused(api: Api, limit: str) -> None:
    reply = api.get(f"/v1/ledger?limit={limit}")
    assert refused(reply) == (422, "invalid_request")
    assert [error["pointer"] for error in reply.json["errors"]] == ["/limit"]


def test_a_page_has_20_entries_by_default(api: Api, store: Store) -> None:
    games = many(store, 101)
    expected = ranking(games)
    assert ids(board(api, seed=SEED)) == expected[:20]
    assert ids(board(api, seed=SEED, limit=1)) == expected[:1]
    assert ids(board(api, seed=SEED, limit=100)) == expected[:100]


def test_the_total_counts_the_whole_board_on_every_page(api: Api, store: Store) -> None:
    many(store, 9)
    finish(store)
    pages = list(read_pages(api, seed=SEED, limit=LIMIT))
    assert [page["total"] for page in pages] == [9, 9, 9]


# Pagination.


def read_pages(api: Api, **arguments: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401  # any query value
    """Yield all pages from here on, each requested with the cursor of the previous one."""
    cursors = {None}
    page = board(api, **arguments)
    yield page
    arguments.pop("around", None)
    while page["next_cursor"] is not None:
        assert page["next_cursor"] not in cursors
        cursors.add(page["next_cursor"])
        page = board(api, **{**arguments, "cursor": page["next_cursor"]})
        yield page


@pytest.mark.parametrize("limit", [1, 3, 4, 12, 13, 100])
def test_the_pages_together_contain_the_whole_board(api: Api, store: Store, limit: int) -> None:
    games = many(store, 12)
    pages = list(read_pages(api, seed=SEED, limit=limit))
    assert [game_id for page in pages for game_id in ids(page)] == ranking(games)
    assert [rank for page in pages for rank in ranks(page)] == list(range(1, 13))
    assert len(pages) == -(-12 // limit)


def test_a_full_last_page_has_no_next_page(api: Api, store: Store) -> None:
    many(store, LIMIT)
    reply = ledger(api, seed=SEED, limit=LIMIT)
    assert len(ids(reply.json)) == LIMIT
    assert reply.json["next_cursor"] is None
    assert "Link" not in reply.headers


class Changes(NamedTuple):
    """Changes to a board between the reads of two pages."""

    added: int
    removed: int


@pytest.mark.parametrize(
    "changes",
    [Changes(3, 0), Changes(0, 2), Changes(3, 2)],
    ids=["games added", "games removed", "both"],
)
@pytest.mark.parametrize("luck", range(4))
def test_pages_of_a_changing_board_neither_skip_nor_repeat_entries(
    api: Api, store: Store, redis: Redis, changes: Changes, luck: int
) -> None:
    random = Random(luck)
    stay = many(store, 30, luck)
    go = many(store, 12, luck + 100)
    arrived: list[str] = []
    seen: list[str] = []
    for page in read_pages(api, seed=SEED, limit=LIMIT):
        seen += ids(page)
        for _ in range(min(changes.removed, len(go))):
            # Prefer the game that the cursor points to.
            gone = next((game for game in go if game.id == seen[-1]), None) or random.choice(go)
            go.remove(gone)
            redis.delete(f"game:{gone.id}")
        # Another client, whose read drops the entries of the removed games.
        board(api, seed=SEED, limit=100)
        arrived += [game.id for game in many(store, changes.added, random.randrange(10**6))]
    throughout = set(ranking(stay))
    assert [game_id for game_id in seen if game_id in throughout] == ranking(stay)
    assert len(seen) == len(set(seen))
    assert bool(arrived) == bool(changes.added)
    assert bool(set(seen) & set(arrived)) == bool(changes.added)


def test_expired_games_leave_no_gap(api: Api, store: Store, redis: Redis) -> None:
    games = many(store, 10)
    expected = ranking(games)
    for game_id in expected[1:8:2]:
        redis.delete(f"game:{game_id}")
    page = board(api, seed=SEED, limit=6)
    assert ids(page) == [*expected[:8:2], *expected[8:]]
    assert (ranks(page), page["total"]) == ([1, 2, 3, 4, 5, 6], 6)


@pytest.mark.parametrize(
    "cursor", ["", "a", "0" * 15 + "a" * 23, "0" * 38 + "0", "0" * 16 + "a" * 21 + "%20"]
)
def test_an_invalid_cursor_is_refused(api: Api, cursor: str) -> None:
    reply = api.get(f"/v1/ledger?cursor={cursor}")
    assert refused(reply) == (422, "invalid_request")
    assert [error["pointer"] for error in reply.json["errors"]] == ["/cursor"]


LINK = re.compile(r'<([^>]+)>; rel="next"')


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"limit": "7"},
        {"ruleset": "original", "seed": "a.b~c-d_e", "limit": "2"},
        {"seed": "a.b~c-d_e"},
        {"ruleset": "gamemaker"},
    ],
    ids=lambda query: "&".join(query) or "nothing",
)
def test_the_next_link_has_the_cursor_and_the_other_query_arguments(
    api: Api, store: Store, query: dict[str, str]
) -> None:
    rules = rules_for(query.get("ruleset", "original"))
    seed = query.get("seed")
    for _ in range(30):
        mode = Mode.SEEDED if seed else Mode.STANDARD
        finish(store, random_record(1, rules, seed or "any"), mode=mode)
    reply = ledger(api, **query)
    link = LINK.fullmatch(reply.headers["Link"])
    assert link is not None
    path, arguments = urlsplit(link[1]).path, parse_qs(urlsplit(link[1]).query)
    assert path == "/v1/ledger"
    assert {**query, "cursor": reply.json["next_cursor"]}.items() <= {
        name: value for name, (value,) in arguments.items()
    }.items()
    following = api.get(link[1]).json
    assert following == board(api, **query, cursor=reply.json["next_cursor"])
    limit = int(query.get("limit", 20))
    assert ranks(following) == list(range(limit + 1, min(2 * limit, 30) + 1))


# Around a game.


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 6, 7, 20, 25])
def test_a_page_around_a_game_has_it_in_the_middle(api: Api, store: Store, limit: int) -> None:
    expected = ranking(many(store, 20))
    for place, game_id in enumerate(expected):
        page = board(api, seed=SEED, limit=limit, around=game_id)
        first = max(0, place - limit // 2)
        assert ids(page) == expected[first : first + limit]
        assert ranks(page) == list(range(first + 1, first + len(ids(page)) + 1))
        assert game_id in ids(page)
        assert page["total"] == 20


def test_the_pages_after_the_page_around_a_game_contain_the_rest(api: Api, store: Store) -> None:
    expected = ranking(many(store, 20))
    pages = read_pages(api, seed=SEED, limit=5, around=expected[7])
    assert [game_id for page in pages for game_id in ids(page)] == expected[5:]


def test_the_next_link_of_a_page_around_a_game_continues_after_it(api: Api, store: Store) -> None:
    expected = ranking(many(store, 20))
    reply = ledger(api, seed=SEED, limit=5, around=expected[7])
    link = LINK.fullmatch(reply.headers["Link"])
    assert link is not None
    assert "around" not in link[1]
    assert ids(api.get(link[1]).json) == expected[10:15]


def test_a_page_around_a_game_omits_expired_games(api: Api, store: Store, redis: Redis) -> None:
    expected = ranking(many(store, 20))
    for game_id in [*expected[:3], *expected[6:8], expected[12]]:
        redis.delete(f"game:{game_id}")
    page = board(api, seed=SEED, limit=5, around=expected[10])
    assert expected[10] in ids(page)
    assert len(ids(page)) == 5
    assert not set(ids(page)) - set(expected)


NOT_ON_THE_BOARD: dict[str, Callable[[Store], str]] = {
    "unknown game": lambda _store: UNKNOWN_ID,
    "malformed ID": lambda _store: "x",
    "empty ID": lambda _store: "",
    "unfinished game": lambda store: create(store, mode=Mode.SEEDED).id,
    "game of another ruleset": lambda store: (
        finish(store, random_record(1, rules_for("strict"), LOST.seed), mode=Mode.SEEDED).id
    ),
    "game of another seed": lambda store: (
        finish(store, random_record(1, seed="other"), mode=Mode.SEEDED).id
    ),
    "standard game": lambda store: finish(store, LOST).id,
    "custom game": lambda store: (
        finish(
            store,
            random_record(1, rules_for("original", {"leave": 2}), LOST.seed),
            mode=Mode.SEEDED,
        ).id
    ),
}


@pytest.mark.parametrize("name", NOT_ON_THE_BOARD)
def test_a_page_around_a_game_that_is_not_on_the_board_is_refused(
    api: Api, store: Store, name: str
) -> None:
    finish(store, LOST, mode=Mode.SEEDED)
    reply = api.get(f"/v1/ledger?seed={LOST.seed}&around={NOT_ON_THE_BOARD[name](store)}")
    assert refused(reply) == (422, "invalid_request")
    assert [error["pointer"] for error in reply.json["errors"]] == ["/around"]


def test_a_page_of_the_ruleset_board_around_a_seeded_game_is_refused(
    api: Api, store: Store
) -> None:
    game = finish(store, LOST, mode=Mode.SEEDED)
    finish(store, LOST)
    reply = api.get(f"/v1/ledger?around={game.id}")
    assert refused(reply) == (422, "invalid_request")


def test_around_cannot_be_combined_with_cursor(api: Api, store: Store) -> None:
    games = many(store, 5)
    cursor = board(api, seed=SEED, limit=2)["next_cursor"]
    reply = api.get(f"/v1/ledger?seed={SEED}&cursor={cursor}&around={games[0].id}")
    assert refused(reply) == (422, "invalid_request")


# Rank of a game.


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("seed", [None, SEED], ids=["standard", "seeded"])
def test_the_score_of_a_game_has_its_rank_on_the_board(
    api: Api, store: Store, ruleset: str, seed: str | None
) -> None:
    rules, mode = rules_for(ruleset), Mode.SEEDED if seed else Mode.STANDARD
    for luck in range(12):
        finish(store, random_record(luck % 8, rules, seed), mode=mode)
    page = board(api, ruleset=ruleset, **({"seed": seed} if seed else {}))
    assert page["total"] == 12
    for entry in page["entries"]:
        actual = api.get(f"/v1/games/{entry['game_id']}/score").json
        expected = {name: entry[name] for name in ("rank", "score", "status")}
        assert {name: actual[name] for name in expected} == expected
        assert actual["board"] == page["board"]


def test_a_rank_falls_when_another_game_does_better(api: Api, store: Store) -> None:
    game = finish(store, LOST)
    path = f"/v1/games/{game.id}/score"
    assert api.get(path).json["rank"] == 1
    finish(store, WON)
    assert api.get(path).json["rank"] == 2


def test_reading_the_score_restores_a_lost_board_entry(
    api: Api, store: Store, redis: Redis
) -> None:
    game = finish(store, LOST)
    redis.delete("board:original")
    assert board(api)["total"] == 0
    assert api.get(f"/v1/games/{game.id}/score").json["rank"] == 1
    assert ids(board(api)) == [game.id]


def test_a_game_played_over_http_is_ranked_immediately(api: Api) -> None:
    zero = parse_notation(ZERO_SCORES["gravekeeper"])
    texts = [str(action) for action in zero.actions]
    game_id = play_through(api, Playable("gravekeeper", {}, zero.seed, texts))
    (entry,) = board(api, ruleset="gravekeeper", seed=zero.seed)["entries"]
    actual = {name: entry[name] for name in ("rank", "score", "status", "game_id")}
    assert actual == {"rank": 1, "score": 0, "status": "lost", "game_id": game_id}
