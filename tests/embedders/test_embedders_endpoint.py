"""The client of an embedding server, against servers on this machine that behave and misbehave."""

from __future__ import annotations

import json
import logging
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from toologue.errors import BadSetting
from toologue.models.embed import embedder
from toologue.models.endpoint import Endpoint

KEY = "sk-very-secret-0123456789"


def vector_of(text):
    return [float(len(text)), 1.0, 0.0]


def good(asked):
    rows = [{"index": i, "embedding": vector_of(text)} for i, text in enumerate(asked["input"])]
    return 200, {"data": rows[::-1]}, {}


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that went away is no news."""


@pytest.fixture
def serve(monkeypatch):
    """`serve(answer, ...)`: a server whose n-th request gets the n-th answer, and then the last one for ever."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    servers = []
    waiting = threading.Event()

    def start(*answers):
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                answer = answers[min(len(server.asked), len(answers) - 1)]
                server.asked.append((self.path, asked, {name.lower(): value for name, value in self.headers.items()}))
                if answer == "hang":
                    waiting.wait(5)
                    return
                if answer == "hang up":
                    self.connection.close()
                    return
                status, body, headers = answer(asked) if callable(answer) else answer
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)
                if headers.get("Content-Length"):
                    waiting.wait(5)

            def do_GET(self):
                server.asked.append((self.path, None, {name.lower(): value for name, value in self.headers.items()}))

            def log_message(self, *_):
                """Quiet."""

        server = Server(("127.0.0.1", 0), Handler)
        server.asked = []
        server.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        servers.append(server)
        return server

    yield start
    waiting.set()
    for server in servers:
        server.shutdown()
        server.server_close()


def client(server, **options):
    return Endpoint("small", base_url=server.url, **{"key": KEY, **options})


def test_texts_become_unit_rows_in_order(serve):
    server = serve(good)
    rows = client(server).embed(["abc", "", "a", "abc"])
    wanted = np.array([vector_of("abc"), [0, 0, 0], vector_of("a"), vector_of("abc")])
    wanted[[0, 2, 3]] /= np.linalg.norm(wanted[[0, 2, 3]], axis=1, keepdims=True)
    assert rows.dtype == np.float32
    assert np.allclose(rows, wanted)
    path, asked, headers = server.asked[0]
    assert path == "/v1/embeddings"
    assert asked == {"model": "small", "input": ["abc", "a"], "encoding_format": "float"}
    assert headers["authorization"] == f"Bearer {KEY}"


def test_many_texts_go_in_batches(serve):
    server = serve(good)
    texts = [f"{'x' * n}" for n in range(1, 151)]
    rows = client(server).embed(texts)
    assert [len(asked["input"]) for _, asked, _ in server.asked] == [64, 64, 22]
    assert np.allclose(rows[:, 0] / rows[:, 1], range(1, 151))


def test_nothing_but_empty_texts(serve):
    server = serve(good)
    made = client(server)
    assert made.embed([]).shape == (0, 0)
    assert made.embed(["", ""]).tolist() == [[0, 0, 0]] * 2
    assert made.embed([]).shape == (0, 3)


def test_without_a_key_none_is_sent(serve):
    server = serve(good)
    client(server, key="").embed(["a"])
    assert "authorization" not in server.asked[0][2]


def test_what_may_pass_is_tried_again(serve):
    server = serve((429, {"error": "slow down"}, {}), (500, b"", {}), "hang up", good)
    assert client(server).embed(["abc"]).shape == (1, 3)
    assert len(server.asked) == 4


@pytest.mark.parametrize(
    ("answer", "said"), [((500, b"boom", {}), r"it answered 500: 'boom'"), ("hang up", r"no answer in 4 tries")]
)
def test_a_server_that_stays_broken_is_given_up(serve, answer, said):
    server = serve(answer)
    with pytest.raises(BadSetting, match=said):
        client(server).embed(["a"])
    assert len(server.asked) == 4


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["hang", (200, b'{"data":', {"Content-Length": "1000"})])
def test_a_server_that_hangs_is_not_waited_for(serve, answer):
    server = serve(answer, good)
    assert client(server, timeout=0.1).embed(["abc"]).shape == (1, 3)
    assert len(server.asked) == 2


@pytest.mark.parametrize(("status", "remedy"), [(401, "OPENAI_API_KEY"), (404, "usually ends in /v1"), (400, "model")])
def test_what_will_not_pass_is_not_tried_again(serve, status, remedy):
    server = serve((status, {"error": f"the key {KEY} is not good"}, {}))
    with pytest.raises(BadSetting, match=remedy) as caught:
        client(server).embed(["a"])
    assert len(server.asked) == 1
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(serve, status):
    elsewhere = serve(good)
    server = serve((status, b"", {"Location": elsewhere.url + "/embeddings"}))
    with pytest.raises(BadSetting, match="redirects are not followed"):
        client(server).embed(["a"])
    assert elsewhere.asked == []


def rows_of(*vectors):
    return {"data": [{"index": i, "embedding": vector} for i, vector in enumerate(vectors)]}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<html>hello", "its answer is no list of embeddings"),
        (b"\xff\xfe", "its answer is no list of embeddings"),
        ({"data": None}, "its answer is no list of embeddings"),
        ([], "its answer is no list of embeddings"),
        ({"data": [1, 2]}, "its answer is no list of embeddings"),
        (rows_of(["a"], ["b"]), "its answer is no list of embeddings"),
        (rows_of([1, 2]), "it gave 1 vectors for 2 texts"),
        (rows_of([1], [1], [1]), "it gave 3 vectors for 2 texts"),
        ({"data": [{"index": 0, "embedding": [1]}] * 2}, "it gave 2 vectors for 2 texts"),
        (rows_of([1, 2], [1]), r"its vectors have the lengths \[1, 2\]"),
        (rows_of([], []), r"its vectors have the lengths \[0\]"),
        (rows_of([1, float("nan")], [1, 2]), "its vectors hold NaN or infinity"),
    ],
)
def test_an_answer_that_is_none_is_refused(serve, body, said):
    with pytest.raises(BadSetting, match=said):
        client(serve((200, body, {}))).embed(["a", "b"])


def test_answers_of_another_width_are_refused(serve):
    made = client(serve(good, (200, rows_of([1.0, 2.0]), {})))
    made.embed(["a"])
    with pytest.raises(BadSetting, match=r"lengths \[2, 3\]"):
        made.embed(["b"])


def test_nothing_shows_the_key(serve, caplog):
    made = client(serve((500, f"Bearer {KEY} was not welcome".encode(), {})))
    with caplog.at_level(logging.DEBUG), pytest.raises(BadSetting) as caught:
        made.embed(["a"])
    assert KEY not in caplog.text + str(caught.value) + repr(made) + made.name
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "url", ["", "localhost:80", "file:///etc/passwd", "ftp://host/v1", "http://", "http://[::1", "http://host:0/v1"]
)
def test_a_base_url_that_is_none_is_refused(url):
    with pytest.raises(BadSetting, match="base URL"):
        Endpoint("small", base_url=url)


def test_secrets_in_the_wrong_place_are_refused_unseen():
    with pytest.raises(BadSetting, match="give the key as OPENAI_API_KEY") as caught:
        Endpoint("small", base_url="https://me:hush@host/v1")
    assert "hush" not in str(caught.value)
    with pytest.raises(BadSetting, match="characters that no key has") as caught:
        Endpoint("small", base_url="https://host/v1", key="hush\nX-Other: 1")
    assert "hush" not in str(caught.value)


def test_the_environment_names_the_server(monkeypatch):
    monkeypatch.delenv("TOOLOGUE_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(BadSetting, match=r"endpoint:small needs a server: set TOOLOGUE_BASE_URL"):
        embedder("endpoint:small")
    with pytest.raises(BadSetting, match="needs a model"):
        embedder("endpoint")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://one/v1")
    one = embedder("endpoint:small").name
    monkeypatch.setenv("TOOLOGUE_BASE_URL", "http://other/v1/")
    assert one != embedder("endpoint:small").name == Endpoint("small", base_url="http://other/v1").name
    assert one.startswith("endpoint:small@")
