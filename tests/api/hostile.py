"""Malformed and unusual HTTP requests, with the status that the API and the proxy return."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tests.api.raw import PROBE

if TYPE_CHECKING:
    from tests.servers import Reply

Cases = dict[str, tuple[bytes, int, int | None]]

HEAD = b"Host: a\r\nContent-Type: application/json\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"


class Hostile(NamedTuple):
    """A raw request and the expected statuses."""

    request: bytes
    api: int
    proxy: int | None
    """None if the proxy waits for more, or sends nothing to a client that has hung up."""


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
    "Content-Length before chunked": (
        post(length(b"2") + CHUNKED, b"2\r\n{}\r\n0\r\n\r\n"),
        400,
        400,
    ),
    "Content-Length 0 after chunked": (
        post(CHUNKED + length(b"0"), b"2\r\n{}\r\n0\r\n\r\n"),
        400,
        400,
    ),
    "two different lengths": (post(length(b"2") + length(b"3"), b"{}"), 400, 400),
    "the same length twice": (post(length(b"2") * 2, b"{}"), 400, 400),
    "a list of lengths": (post(length(b"2, 2"), b"{}"), 400, 400),
    "a negative length": (post(length(b"-1"), b"{}"), 400, 400),
    "a length with a plus": (post(length(b"+2"), b"{}"), 400, 400),
    "a length with an underscore": (post(length(b"0_2"), b"{}"), 400, 400),
    "a hexadecimal length": (post(length(b"0x2"), b"{}"), 400, 400),
    "a length in Arabic digits": (post(length("\u0662".encode()), b"{}"), 400, 400),
    "an empty length": (post(length(b""), b"{}"), 400, 400),
    "a length of 30 digits": (post(length(b"9" * 30), b"{}"), 413, 400),
    "a length of one terabyte": (post(length(b"1" + b"0" * 12), b"{}"), 413, None),
    "a body shorter than its length": (post(length(b"1000"), b"{}"), 400, None),
    "Transfer-Encoding twice": (post(CHUNKED * 2, b"2\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "an unknown coding ending in chunked": (
        post(b"Transfer-Encoding: xchunked\r\n", b"{}"),
        400,
        400,
    ),
    "the identity coding": (post(b"Transfer-Encoding: identity\r\n", b"{}"), 400, 400),
}
CHUNKS: Cases = {
    "a chunk without a length": (chunks(b"\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "a negative chunk length": (chunks(b"-2\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "a chunk length with a plus": (chunks(b"+2\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "a chunk length with 0x": (chunks(b"0x2\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "a chunk length with an underscore": (chunks(b"0_2\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "a chunk length of 20 digits": (chunks(b"f" * 20 + b"\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "a chunk without a line end": (chunks(b"2\r\n{}0\r\n\r\n"), 400, 400),
    "a chunk longer than its length": (chunks(b"1\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "a chunk shorter than its length": (chunks(b"5\r\n{}\r\n0\r\n\r\n"), 400, 400),
    "no last chunk": (chunks(b"2\r\n{}\r\n"), 400, None),
    "a request in place of a chunk": (chunks(SMUGGLED), 400, 400),
}
LINES: Cases = {
    "HTTP/0.9": (b"GET /livez\r\n\r\n", 400, None),
    "the HTTP/2 preface": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, 400),
    "a TLS handshake": (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 50 + b"\r\n\r\n",
        400,
        400,
    ),
    "HTTP/1.0 with chunks": (
        b"POST /v1/games HTTP/1.0\r\n" + HEAD + CHUNKED + b"\r\n2\r\n{}\r\n0\r\n\r\n",
        400,
        400,
    ),
    "tabs instead of spaces": (b"GET\t/livez\tHTTP/1.1\r\nHost: a\r\n\r\n", 400, 400),
    "two spaces": (b"GET  /livez HTTP/1.1\r\nHost: a\r\n\r\n", 400, 200),
    "line feeds only": (b"GET /livez HTTP/1.1\nHost: a\n\n", 400, 200),
    "two Host headers": (get(headers=b"Host: a\r\nHost: b\r\n"), 400, 400),
    "no Host header": (get(headers=b""), 200, 400),
    "an invalid Host header": (get(headers=b"Host: a b\r\n"), 200, 400),
    "CONNECT with an authority": (
        b"CONNECT evil.example:443 HTTP/1.1\r\nHost: a\r\n\r\n",
        404,
        400,
    ),
    "OPTIONS with a star": (b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 404, 400),
    "an absolute URL": (get(b"http://evil.example/livez"), 200, 200),
}
PATHS: Cases = {
    "no leading slash": (get(b"livez"), 400, 400),
    "two leading slashes": (get(b"//evil.example/v1/rulesets"), 404, 404),
    "two slashes in the middle": (get(b"/v1//rulesets"), 404, 404),
    "a dot segment": (get(b"/v1/./rulesets"), 404, 404),
    "a double-dot segment": (get(b"/v1/x/../rulesets"), 404, 404),
    "an escaped double-dot segment": (get(b"/static/%2e%2e%2fpages.py"), 404, 404),
    "a backslash": (get(b"/v1\\rulesets"), 404, 404),
    "a path parameter": (get(b"/v1/rulesets;a"), 404, 404),
    "an escaped line end": (get(b"/v1/%0d%0aSet-Cookie:a=b"), 404, 404),
    "a line end": (get(b"/v1/\r\nSet-Cookie:a=b"), 400, None),
    "a carriage return": (get(b"/v1/\ra"), 400, 400),
    "an escaped NUL": (get(b"/v1/%00"), 404, 400),
    "a NUL": (get(b"/v1/\0"), 400, 400),
    "an invalid escape": (get(b"/v1/%zz"), 404, 400),
    "escaped invalid UTF-8": (get(b"/v1/%ff"), 404, 404),
    "invalid UTF-8": (get(b"/v1/\xff"), 400, 400),
    "control characters in the query": (get(b"/livez?%00=%0d%0a"), 422, 422),
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
    "an idempotency key that is not ASCII": (
        post(b"Idempotency-Key: " + b"\xff" * 20 + b"\r\n" + length(b"2"), b"{}"),
        422,
        422,
    ),
    "a compressed body": (post(b"Content-Encoding: gzip\r\n" + length(b"2"), b"{}"), 415, 415),
    "an invalid ETag": (get(headers=b'Host: a\r\nIf-None-Match: "\xff,,,\r\n'), 200, 200),
    "a byte range": (get(headers=b"Host: a\r\nRange: bytes=0-1\r\n"), 200, 200),
    "invalid media types": (get(headers=b"Host: a\r\nAccept: ;;,\xff/*;q=nan\r\n"), 406, 406),
    "an upgrade to HTTP/2": (
        get(headers=b"Host: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"),
        200,
        200,
    ),
}
BODIES: Cases = {
    "a request as the body": (
        post(length(b"%d" % len(SMUGGLED)), SMUGGLED, b"/v1/nothing"),
        404,
        404,
    ),
    "a body of 4 MiB": (post(length(b"%d" % 2**22), b" " * 2**22), 413, 413),
    "a body too large": (post(length(b"20000"), b" " * 20_000), 413, 413),
    "GET with a body": (
        get(headers=b"Host: a\r\n" + length(b"%d" % len(SMUGGLED))) + SMUGGLED,
        200,
        200,
    ),
    "declared UTF-16": (
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

PROBLEM_HEADERS = {
    "Content-Type": "application/problem+json",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def expect_refusals(replies: list[Reply], status: int) -> None:
    """Check the status of the first response; only the response to the probe may follow it."""
    first, *others = replies
    assert first.status == status
    if status >= 400:
        assert PROBLEM_HEADERS.items() <= first.headers.items()
        assert first.json["status"] == status
        assert first.json["request_id"] == first.headers["X-Request-ID"]
    assert {reply.headers["X-Request-ID"] for reply in replies} & {"smuggled"} == set()
    assert [(reply.status, reply.headers["X-Request-ID"]) for reply in others] in (
        [],
        [(200, PROBE)],
    )
