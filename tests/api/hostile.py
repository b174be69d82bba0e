"""Requests that break HTTP or bend it, and what the API and the shipped proxy answer to each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tests.api.raw import PROBE

if TYPE_CHECKING:
    from tests.servers import Reply

Cases = dict[str, tuple[bytes, int, int | None]]

HEAD = b"Host: a\r\nContent-Type: application/json\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"


class Hostile(NamedTuple):
    """Bytes, and the status that they are answered with."""

    request: bytes
    api: int
    proxy: int | None
    """None where the proxy waits for more, or says nothing to one who has hung up."""


def post(headers: bytes, body: bytes, path: bytes = b"/v1/games") -> bytes:
    return b"POST " + path + b" HTTP/1.1\r\n" + HEAD + headers + b"\r\n" + body


def get(path: bytes = b"/livez", headers: bytes = b"Host: a\r\n") -> bytes:
    return b"GET " + path + b" HTTP/1.1\r\n" + headers + b"\r\n"


def length(text: bytes) -> bytes:
    return b"Content-Length: " + text + b"\r\n"


def chunks(body: bytes) -> bytes:
    return post(CHUNKED, body)


SMUGGLED = get(headers=b"Host: a\r\nX-Request-ID: smuggled\r\n")

LENGTHS: Cases = {
    "a length and chunks": (post(length(b"2") + CHUNKED, b"2\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "chunks and no length": (post(CHUNKED + length(b"0"), b"2\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "two lengths": (post(length(b"2") + length(b"3"), b"{}"), 400, 400),
    "the same length twice": (post(length(b"2") * 2, b"{}"), 400, 400),
    "a list of lengths": (post(length(b"2, 2"), b"{}"), 400, 400),
    "a length below 0": (post(length(b"-1"), b"{}"), 400, 400),
    "a length with a plus": (post(length(b"+2"), b"{}"), 400, 400),
    "a length with an underscore": (post(length(b"0_2"), b"{}"), 400, 400),
    "a length in hexadecimal": (post(length(b"0x2"), b"{}"), 400, 400),
    "a length in Arabic digits": (post(length("\u0662".encode()), b"{}"), 400, 400),
    "an empty length": (post(length(b""), b"{}"), 400, 400),
    "a length that no one can hold": (post(length(b"9" * 30), b"{}"), 413, 400),
    "a length of a terabyte": (post(length(b"1" + b"0" * 12), b"{}"), 413, None),
    "a body shorter than its length": (post(length(b"1000"), b"{}"), 400, None),
    "chunked twice": (post(CHUNKED * 2, b"2\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "a coding that ends as chunked": (post(b"Transfer-Encoding: xchunked\r\n", b"{}"), 400, 400),
    "the identity as a coding": (post(b"Transfer-Encoding: identity\r\n", b"{}"), 400, 400),
}
CHUNKS: Cases = {
    "a chunk without a length": (chunks(b"\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "a chunk of a negative length": (chunks(b"-2\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "a chunk with a plus": (chunks(b"+2\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "a chunk of a C-like length": (chunks(b"0x2\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "a chunk with an underscore": (chunks(b"0_2\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "a chunk of 2^80": (chunks(b"f" * 20 + b"\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "a chunk without its end": (chunks(b"2\r\n{}0\r\n\r\n"), 400, 400),
    "a chunk longer than it says": (chunks(b"1\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "a chunk shorter than it says": (chunks(b"5\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "chunks that break off": (chunks(b"2\r\n{}\r\n"), 400, None),
    "a request where a length should be": (chunks(SMUGGLED), 400, 400),
}
LINES: Cases = {
    "HTTP/0.9": (b"GET /livez\r\n\r\n", 400, None),
    "HTTP/2's beginning": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, 400),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 50 + b"\r\n\r\n", 400, 400),
    "HTTP/1.0 in chunks": (
        b"POST /v1/games HTTP/1.0\r\n" + HEAD + CHUNKED + b"\r\n2\r\n{}\r\n0\r\n\r\n",
        400,
        400,
    ),
    "tabs in place of spaces": (b"GET\t/livez\tHTTP/1.1\r\nHost: a\r\n\r\n", 400, 400),
    "two spaces": (b"GET  /livez HTTP/1.1\r\nHost: a\r\n\r\n", 400, 200),
    "line feeds alone": (b"GET /livez HTTP/1.1\nHost: a\n\n", 400, 200),
    "two hosts": (get(headers=b"Host: a\r\nHost: b\r\n"), 400, 400),
    "no host": (get(headers=b""), 200, 400),
    "a host that is none": (get(headers=b"Host: a b\r\n"), 200, 400),
    "a server in place of a path": (
        b"CONNECT evil.example:443 HTTP/1.1\r\nHost: a\r\n\r\n",
        404,
        400,
    ),
    "a star in place of a path": (b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 404, 400),
    "a whole address": (get(b"http://evil.example/livez"), 200, 200),
}
PATHS: Cases = {
    "no slash": (get(b"livez"), 400, 400),
    "two slashes": (get(b"//evil.example/v1/rulesets"), 404, 404),
    "two slashes inside": (get(b"/v1//rulesets"), 404, 404),
    "a dot": (get(b"/v1/./rulesets"), 404, 404),
    "two dots": (get(b"/v1/x/../rulesets"), 404, 404),
    "two dots, escaped": (get(b"/static/%2e%2e%2fpages.py"), 404, 404),
    "a backslash": (get(b"/v1\\rulesets"), 404, 404),
    "a parameter": (get(b"/v1/rulesets;a"), 404, 404),
    "a line end, escaped": (get(b"/v1/%0d%0aSet-Cookie:a=b"), 404, 404),
    "a line end": (get(b"/v1/\r\nSet-Cookie:a=b"), 400, None),
    "a carriage return": (get(b"/v1/\ra"), 400, 400),
    "a NUL, escaped": (get(b"/v1/%00"), 404, 400),
    "a NUL": (get(b"/v1/\0"), 400, 400),
    "an escape that is none": (get(b"/v1/%zz"), 404, 400),
    "what is no UTF-8, escaped": (get(b"/v1/%ff"), 404, 404),
    "what is no UTF-8": (get(b"/v1/\xff"), 400, 400),
    "a query of what is no text": (get(b"/livez?%00=%0d%0a"), 422, 422),
}
HEADERS: Cases = {
    "a line feed": (get(headers=b"Host: a\r\nX-A: a\nX-B: b\r\n"), 400, 200),
    "a carriage return": (get(headers=b"Host: a\r\nX-A: a\rb\r\n"), 400, 400),
    "a NUL": (get(headers=b"Host: a\r\nX-A: a\0\r\n"), 400, 400),
    "a folded line": (get(headers=b"Host: a\r\nX-A: a\r\n b\r\n"), 400, 400),
    "a space before the colon": (get(headers=b"Host: a\r\nX-A : a\r\n"), 400, 400),
    "no colon": (get(headers=b"Host: a\r\nX-A\r\n"), 400, 200),
    "no name": (get(headers=b"Host: a\r\n: a\r\n"), 400, 400),
    "two media types": (post(b"Content-Type: text/plain\r\n" + length(b"2"), b"{}"), 400, 400),
    "a key that is not ASCII": (
        post(b"Idempotency-Key: " + b"\xff" * 20 + b"\r\n" + length(b"2"), b"{}"),
        422,
        422,
    ),
    "a compressed body": (post(b"Content-Encoding: gzip\r\n" + length(b"2"), b"{}"), 415, 415),
    "a tag that is none": (get(headers=b'Host: a\r\nIf-None-Match: "\xff,,,\r\n'), 200, 200),
    "a range of a few bytes": (get(headers=b"Host: a\r\nRange: bytes=0-1\r\n"), 200, 200),
    "media types that are none": (get(headers=b"Host: a\r\nAccept: ;;,\xff/*;q=nan\r\n"), 406, 406),
    "another protocol": (
        get(headers=b"Host: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"),
        200,
        200,
    ),
}
BODIES: Cases = {
    "a request as the body of one": (
        post(length(b"%d" % len(SMUGGLED)), SMUGGLED, b"/v1/nothing"),
        404,
        404,
    ),
    "a body of megabytes": (post(length(b"%d" % 2**22), b" " * 2**22), 413, 413),
    "a body too large": (post(length(b"20000"), b" " * 20_000), 413, 413),
    "a body with GET": (
        get(headers=b"Host: a\r\n" + length(b"%d" % len(SMUGGLED))) + SMUGGLED,
        200,
        200,
    ),
    "UTF-16, and said so": (
        b"POST /v1/games HTTP/1.1\r\nHost: a\r\nContent-Type: application/json; charset=utf-16\r\n"
        + length(b"6")
        + b"\r\n"
        + "{}".encode("utf-16"),
        400,
        400,
    ),
}
KINDS = {
    "length": LENGTHS,
    "chunks": CHUNKS,
    "line": LINES,
    "path": PATHS,
    "header": HEADERS,
    "body": BODIES,
}
HOSTILE = {
    f"{kind}: {name}": Hostile(*case)
    for kind, cases in KINDS.items()
    for name, case in cases.items()
}

OF_A_REFUSAL = {
    "Content-Type": "application/problem+json",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def expect_refusals(replies: list[Reply], status: int) -> None:
    """The first answer has this status; behind it comes that to the probe, or nothing at all."""
    first, *others = replies
    assert first.status == status
    if status >= 400:
        assert OF_A_REFUSAL.items() <= first.headers.items()
        assert first.json["status"] == status
        assert first.json["request_id"] == first.headers["X-Request-ID"]
    assert {reply.headers["X-Request-ID"] for reply in replies} & {"smuggled"} == set()
    assert [(reply.status, reply.headers["X-Request-ID"]) for reply in others] in (
        [],
        [(200, PROBE)],
    )
