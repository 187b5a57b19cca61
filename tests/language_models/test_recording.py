"""What models were asked, kept: recordings are replayed to the byte with no network, a cache is asked first."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path

import pytest
from fake_endpoint import Answer, Endpoint, Request, Script, says

from command import toologue
from toologue.errors import BadFile, BadSetting
from toologue.models.ask import model
from toologue.models.embed import cache_folder
from toologue.models.model import ModelFault, Reply, ScriptedModel
from toologue.models.recording import Exchange, RecordedModel, Recording, ReplyCache, keeping
from toologue.schema import AgentTurn, Dialogue, Trace, Usage, UserTurn
from toologue.schema.jsonl import read, write

ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where is my parcel?"}]

YES = "from toologue.models.model import ScriptedModel\nmine = ScriptedModel(lambda asked: 'Yes.')\n"


def ask(asked: RecordedModel, *messages: str, seed: int = 1) -> str | None:
    told = [*ASKED, *({"role": "user", "content": text} for text in messages)]
    return asyncio.run(asked.reply(told, seed=seed)).text


class TestARecording:
    def test_gives_back_what_came(self, tmp_path: Path) -> None:
        came = Reply(text="At the depot.", usage=Usage(input_tokens=9, output_tokens=4), finish="length", tries=2)
        ask(RecordedModel("mine", [Recording(tmp_path / "r.jsonl")], ScriptedModel([came])))
        replayed = RecordedModel("mine", [Recording(tmp_path / "r.jsonl", replay=True)])
        assert asyncio.run(replayed.reply(ASKED, seed=1)) == came

    def test_gives_back_faults_and_asks_for_them_again_while_it_records(self, tmp_path: Path) -> None:
        fault = ModelFault("rate_limited", "'m' refused", status=429, excerpt="slow down", tries=4)
        asked = ScriptedModel([fault, "Now."])
        with pytest.raises(ModelFault):
            ask(RecordedModel("mine", [Recording(tmp_path / "r.jsonl")], asked))
        with pytest.raises(ModelFault) as raised:
            ask(RecordedModel("mine", [Recording(tmp_path / "r.jsonl", replay=True)]))
        assert str(raised.value) == str(fault)
        assert ask(RecordedModel("mine", [Recording(tmp_path / "r.jsonl")], asked)) == "Now."
        assert ask(RecordedModel("mine", [Recording(tmp_path / "r.jsonl", replay=True)])) == "Now."

    @pytest.mark.parametrize(
        ("told", "seed", "difference"),
        [
            (("and when does it come?",), 1, "$.messages[2].content: 'and when?' there, 'and when does it come?' now"),
            (("and when?",), 2, "$.seed: '1' there, '2' now"),
            ((), 1, "$.messages[2].role: 'user' there, 'nothing' now"),
        ],
    )
    def test_says_how_a_request_that_it_lacks_differs_from_the_nearest(
        self, tmp_path: Path, told: tuple[str, ...], seed: int, difference: str
    ) -> None:
        recorded = RecordedModel("mine", [Recording(tmp_path / "r.jsonl")], ScriptedModel(["Soon.", "No."]))
        ask(recorded, "and when?")
        ask(recorded, "Something else altogether", "that nobody asked about")
        with pytest.raises(BadSetting, match=r"r\.jsonl has no reply to a request of 'mine'") as raised:
            ask(RecordedModel("mine", [Recording(tmp_path / "r.jsonl", replay=True)]), *told, seed=seed)
        assert difference in str(raised.value)

    def test_needs_no_requests_to_be_replayed(self, tmp_path: Path) -> None:
        ask(RecordedModel("mine", [Recording(tmp_path / "r.jsonl")], ScriptedModel(["Soon."])))
        [kept] = read(tmp_path / "r.jsonl", Exchange)
        write(tmp_path / "hashes.jsonl", [kept.replace(request=None)])
        replayed = RecordedModel("mine", [Recording(tmp_path / "hashes.jsonl", replay=True)])
        assert ask(replayed) == "Soon."
        with pytest.raises(BadSetting, match="of its 1 exchanges none keeps what was asked"):
            ask(replayed, seed=2)

    def test_is_asked_again_where_the_model_is_and_how_long_it_waits_does_not_matter(self, tmp_path: Path) -> None:
        ask(RecordedModel("openai:m?base_url=http://a/v1&temperature=1", [Recording(tmp_path / "r.jsonl")],
                          ScriptedModel(["Soon."])))  # fmt: skip
        shelf = Recording(tmp_path / "r.jsonl", replay=True)
        elsewhere = RecordedModel("openai:m?timeout=9&temperature=1&base_url=http://b/v1&tries=1", [shelf])
        assert (ask(elsewhere), elsewhere.name) == ("Soon.", "m")
        with pytest.raises(BadSetting, match="model: 'openai:m\\?temperature=1' there, 'openai:m' now"):
            ask(RecordedModel("openai:m", [shelf]))

    def test_that_was_killed_goes_on_behind_its_last_whole_line(self, tmp_path: Path) -> None:
        file = tmp_path / "r.jsonl"
        recorded = RecordedModel("mine", [Recording(file)], ScriptedModel(["One.", "Two."]))
        ask(recorded, "a")
        ask(recorded, "b")
        file.write_bytes(file.read_bytes()[:-20])
        again = ScriptedModel(["Two again."])
        assert [ask(RecordedModel("mine", [Recording(file)], again), text) for text in "ab"] == ["One.", "Two again."]


class TestACache:
    def test_answers_what_it_knows_in_any_process_and_keeps_no_faults(self, tmp_path: Path) -> None:
        asked = ScriptedModel([ModelFault("timeout", "late"), "Soon."])
        for _ in range(3):
            with pytest.raises(ModelFault) if not asked.asked else nullcontext():
                assert ask(RecordedModel("mine", [ReplyCache(tmp_path / "c.db")], asked)) == "Soon."
        assert len(asked.asked) == 2

    def test_fills_a_recording(self, tmp_path: Path) -> None:
        ask(RecordedModel("mine", [ReplyCache(tmp_path / "c.db")], ScriptedModel(["Soon."])))
        shelves = [Recording(tmp_path / "r.jsonl"), ReplyCache(tmp_path / "c.db")]
        assert ask(RecordedModel("mine", shelves, ScriptedModel([]))) == "Soon."
        assert [one.request is not None for one in read(tmp_path / "r.jsonl", Exchange)] == [True]

    def test_that_is_none_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "c.db").write_text("not a database, but long enough to be taken for the start of one " * 20)
        with pytest.raises(BadFile, match=r"c\.db cannot serve as a cache: file is not a database"):
            ReplyCache(tmp_path / "c.db")

    def test_is_not_the_folder_of_what_can_be_made_again(self, tmp_path: Path) -> None:
        elsewhere = cache_folder()
        with keeping(cache=tmp_path / "c.db"):
            assert cache_folder() == elsewhere

    def test_is_a_table_of_keys_and_replies(self, tmp_path: Path) -> None:
        ask(RecordedModel("mine", [ReplyCache(tmp_path / "c.db")], ScriptedModel(["Soon."])))
        with closing(sqlite3.connect(tmp_path / "c.db")) as rows:
            [(key, reply)] = rows.execute("SELECT key, reply FROM replies")
        assert (len(key), json.loads(reply)["text"]) == (16, "Soon.")


class TestCommands:
    @pytest.fixture
    def talks(self, tmp_path: Path) -> Path:
        turns = (UserTurn(text="Hello"), AgentTurn(text="Hi"), UserTurn(text="Bye"), AgentTurn(text="Bye"))
        write(tmp_path / "talks.jsonl", [Dialogue(id=f"talk-{number}", turns=turns) for number in range(4)])
        return tmp_path

    def test_replay_a_run_to_the_byte_with_requests_forbidden(
        self, talks: Path, endpoint: Callable[[Script], Endpoint], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def script(asked: Request) -> Answer:
            return says(f"reply to {asked.body['messages'][-1]['content']} {asked.body['seed']}")

        served = endpoint(script)
        arguments = ("run", "talks.jsonl", "--agent", "openai:m", "--trials", "2")
        recorded = toologue(*arguments, "-o", "a", "--record", "r.jsonl", cwd=talks)
        said = "agent: 16 requests; 160 tokens in, 32 out; price unknown\n"
        assert (recorded.returncode, recorded.stderr) == (0, said)
        sent = len(served.requests)
        monkeypatch.setenv("TOOLOGUE_REQUESTS", "forbidden")
        for name in ("TOOLOGUE_BASE_URL", "OPENAI_API_KEY"):
            monkeypatch.delenv(name)
        replayed = toologue(*arguments, "-o", "b", "--replay", "r.jsonl", cwd=talks)
        assert replayed.stderr == "agent: 16 requests, 16 of them kept; 0 tokens in, 0 out; $0.00\n"
        assert (talks / "a/traces.jsonl").read_bytes() == (talks / "b/traces.jsonl").read_bytes()
        assert len(served.requests) == sent == 16

    def test_record_in_the_same_order_whatever_came_first(self, talks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.syspath_prepend(talks)
        (talks / "yes.py").write_text(YES)
        files = ("one.jsonl", "eight.jsonl")
        for file, concurrency in zip(files, (1, 8), strict=True):
            options = ("-o", file.removesuffix(".jsonl"), "--record", file, "--concurrency", concurrency)
            done = toologue("run", "talks.jsonl", "--agent", "function_calling:yes:mine", *options, cwd=talks)
            assert done.returncode == 0, done.stderr
        assert (talks / files[0]).read_bytes() == (talks / files[1]).read_bytes()

    def test_stop_where_a_prompt_has_changed(self, talks: Path) -> None:
        write(talks / "r.jsonl", [])
        with keeping(record=talks / "r.jsonl"):
            pass
        done = toologue("run", "talks.jsonl", "--agent", "openai:m", "-o", "a", "--replay", "r.jsonl", cwd=talks)
        assert done.returncode == 2
        assert "r.jsonl has no reply to a request of 'openai:m': of its 0 exchanges" in done.stderr

    def test_refuse_to_ask_and_not_to_ask(self, talks: Path) -> None:
        write(talks / "r.jsonl", [])
        options = ("--replay", "r.jsonl", "--record", "r.jsonl")
        done = toologue("run", "talks.jsonl", "--agent", "openai:m", "-o", "a", *options, cwd=talks)
        assert (done.returncode, done.stderr) == (
            2,
            "toologue: what is replayed asks nothing: leave out --record and --cache\n",
        )


def test_a_model_made_while_exchanges_are_kept_keeps_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "yea.py").write_text(YES)
    monkeypatch.syspath_prepend(tmp_path)
    with keeping(record=tmp_path / "r.jsonl"):
        assert asyncio.run(model("yea:mine").reply(ASKED)).text == "Yes."
    assert [one.reply and one.reply.text for one in read(tmp_path / "r.jsonl", Exchange)] == ["Yes."]


@pytest.mark.parametrize("kept", ["--cache", "--record"])
@pytest.mark.parametrize("seed", ["", "?seed=none", "?seed=7"])
def test_trials_of_a_dialogue_never_share_a_reply(
    tmp_path: Path, endpoint: Callable[[Script], Endpoint], kept: str, seed: str
) -> None:
    """Whatever seed the endpoint is sent: each trial is asked once, and found again when the same run is made anew."""
    started = endpoint(lambda request: says(f"Answer {len(started.requests)}."))
    write(tmp_path / "talks.jsonl", [Dialogue(id="a", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello")))])
    for out in ("one", "two"):
        options = ("--protocol", "next", "--trials", 3, kept, "kept", "-o", out)
        done = toologue("run", "talks.jsonl", "--agent", f"openai:m{seed}", *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        said = [trace.turns[-1].text for trace in read(tmp_path / out / "traces.jsonl", Trace)]
        assert len({*said}) == 3
    assert len(started.requests) == 3
