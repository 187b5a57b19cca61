"""Dialogues of several sources, read blind: by keys in a real terminal, and on sheets that are filled in."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from review_samples import conversations, typed

from tests.command import toologue
from toologue.review.reading import Asked, Readings, Text, texts_of
from toologue.schema import AgentTurn, Call, Dialogue, Rating, Result, UserTurn
from toologue.schema.jsonl import read, write

ANSWERS = {"naturalness": 2, "coherence": 3, "efficiency": 1, "person": "no", "wrong_step": "yes: asks twice"}
PUBLISHED = {
    "name": "an-alarm",
    "user": {"username": "ana"},
    "metadata": {"location": "Lisbon", "timestamp": "2025-05-17 12:00:00"},
    "conversation": [
        {"role": "user", "text": "Wake me at seven."},
        {
            "role": "assistant",
            "text": "Your alarm is set.",
            "apis": [{"request": {"api_name": "AddAlarm", "parameters": {"time": "07:00:00"}}, "response": {}}],
        },
    ],
}


@pytest.fixture
def sources(tmp_path: Path) -> list[str]:
    """Three conversations of ours, two of others as plain messages."""
    conversations(tmp_path / "dialogues.jsonl", 3)
    talks = [[("user", f"A table for {n}, please."), ("assistant", "At what time?")] for n in (2, 4)]
    messages = ({"messages": [{"role": role, "content": said} for role, said in talk]} for talk in talks)
    (tmp_path / "people.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in messages))
    return ["ours=dialogues.jsonl", "people=people.jsonl"]


@pytest.fixture
def cli(tmp_path: Path) -> Callable[..., str]:
    """The command, in the folder of the sources: what it prints, or its error."""

    def run(*arguments: object) -> str:
        done = toologue("read", *arguments, cwd=tmp_path)
        return done.stdout if done.returncode == 0 else f"{done.returncode}: {done.stderr}"

    return run


def filled(sheet: Path, *, over: Callable[[dict[str, Any]], dict[str, Any]] = lambda line: {}) -> Path:
    """A sheet with the same answers everywhere, or others."""
    lines = [json.loads(line) for line in sheet.read_text().splitlines()]
    sheet.write_text("".join(f"{json.dumps({**line, **ANSWERS, **over(line)})}\n" for line in lines))
    return sheet


class TestWhatIsShown:
    def test_is_what_user_and_agent_say_and_nothing_else(self, tmp_path: Path) -> None:
        """Of a dialogue with calls, of one that ToolTalk published, and of plain messages: they look alike."""
        call = AgentTurn(acts=(Call(api="AddAlarm", arguments={}),), results=(Result(value=1),))
        turns = (UserTurn(text="Wake me\nat seven."), AgentTurn(text="One moment."), call, AgentTurn(text="It is set."))
        write(tmp_path / "dialogues.jsonl", [Dialogue(id="d", instructions="Be kind.", facts={"now": 1}, turns=turns)])
        (tmp_path / "talk").mkdir()
        (tmp_path / "talk" / "an-alarm.json").write_text(json.dumps(PUBLISHED))
        shown = {one.source: one.lines for one in texts_of({"a": tmp_path, "b": tmp_path / "talk"}).values()}
        assert shown == {
            "a": ("User: Wake me at seven.", "Agent: One moment. It is set."),
            "b": ("User: Wake me at seven.", "Agent: Your alarm is set."),
        }

    def test_a_sheet_names_no_source_and_mixes_them_by_a_seed(
        self, tmp_path: Path, sources: list[str], cli: Callable[..., str]
    ) -> None:
        orders = list[list[str]]()
        for seed in (1, 1, 2):
            cli(*sources, "-o", "sheet.md", "--seed", seed)
            page = (tmp_path / "sheet.md").read_text()
            assert not {"ours", "people", "dialogues"} & {*page.partition("## 1")[2].lower().split()}
            orders.append([line for line in page.splitlines() if line.startswith("## ")])
        assert orders[0] == orders[1] != orders[2]
        assert len(orders[0]) == 5
        cli(*sources, "-o", "few.jsonl", "--sample", 1)
        assert len((tmp_path / "few.jsonl").read_text().splitlines()) == 2


class TestByKeys:
    def test_a_reader_is_killed_in_the_middle_and_goes_on(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        conversations(tmp_path / "dialogues.jsonl", 3)
        monkeypatch.chdir(tmp_path)
        command = ("read", "ours=dialogues.jsonl", "--as", "ana", "--keep-texts", "ours")
        file = tmp_path / "readings" / "ana.jsonl"
        ended, _ = typed("231nyasks twice\r\r" + "333y\rn\r", *command, until="3 of 3")
        assert ended == -signal.SIGKILL
        first, second = read(file, Rating)
        assert first.answers == {"naturalness": 2, "coherence": 3, "efficiency": 1, "person": 0, "wrong_step": 1}
        assert (first.words, second.words) == ({"wrong_step": "asks twice"}, {})
        assert first.said[0].startswith("User: Where is O-")
        ended, shown = typed("9x11q", *command)
        assert (ended, "3 of 3" in shown, "2 of 3 rated by ana" in shown) == (0, True, True)
        assert [*read(file, Rating)][-1].answers == {"naturalness": 1, "coherence": 1}, "half a text is not lost either"
        ended, shown = typed("3nnthe end\r", *command)
        assert (ended, "3 of 3 rated by ana" in shown) == (0, True)
        last = [*read(file, Rating)][-1]
        assert (last.answers["efficiency"], last.words) == (3, {"remark": "the end"})

    def test_undo_goes_back_an_answer_then_a_text(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        conversations(tmp_path / "dialogues.jsonl", 2)
        monkeypatch.chdir(tmp_path)
        typed("1\x1b2\r" + "u3\r" + "q", "read", "ours=dialogues.jsonl", "--as", "ana", "--ask", "charm=1-3")
        told = [*read(tmp_path / "readings" / "ana.jsonl", Rating)]
        assert [(one.answers["charm"], one.undone) for one in told] == [(2, False), (2, True), (3, False)]
        assert len({one.text for one in told}) == 1, "the text that was taken back comes again"

    def test_without_a_terminal_it_says_what_to_do(self, sources: list[str], cli: Callable[..., str]) -> None:
        assert "-o sheet.md" in cli(*sources)


class TestASheet:
    def test_is_filled_in_elsewhere_and_taken_once(
        self, tmp_path: Path, sources: list[str], cli: Callable[..., str]
    ) -> None:
        cli(*sources, "-o", "sheet.jsonl")
        filled(tmp_path / "sheet.jsonl")
        for new in (5, 0):
            said = cli(*sources, "--filled", "sheet.jsonl", "--as", "eve", "--keep-texts", "ours")
            assert said.startswith(f"{new} ratings taken\n5 of 5 rated by eve")
        kept = (tmp_path / "readings" / "eve.jsonl").read_text()
        assert "Where is O-" in kept, "texts of ours are kept"
        assert "table for" not in kept, "of others' no word is"

    def test_in_markdown(self, tmp_path: Path, sources: list[str], cli: Callable[..., str]) -> None:
        cli(*sources, "-o", "sheet.md")
        head, *entries = (tmp_path / "sheet.md").read_text().split("## ")
        (tmp_path / "torn.md").write_text("## ".join([head, entries[0] + "and so on\n"]))
        assert "$.and so on: nothing of this name is asked" in cli(*sources, "--filled", "torn.md", "--as", "eve")
        for name, answer in ANSWERS.items():
            entries[0] = entries[0].replace(f"\n{name}: ", f"\n{name}: {answer}")
        entries[0] = entries[0].replace("remark: ", "remark: who says so: nobody")
        (tmp_path / "sheet.md").write_text("## ".join([head, *entries]))
        assert cli(*sources, "--filled", "sheet.md", "--as", "eve").startswith("1 ratings taken\n1 of 5 rated")
        (told,) = read(tmp_path / "readings" / "eve.jsonl", Rating)
        assert told.words == {"wrong_step": "asks twice", "remark": "who says so: nobody"}

    def test_adds_to_what_was_answered_before(
        self, tmp_path: Path, sources: list[str], cli: Callable[..., str]
    ) -> None:
        """What is asked later leaves earlier answers alone; the same question on another scale is another question."""
        for ask, answer in (("charm=1-3", {"charm": 2}), ("polite", {"polite": "yes: very"})):
            cli(*sources, "--ask", ask, "-o", "sheet.jsonl")
            lines = [json.loads(line) for line in (tmp_path / "sheet.jsonl").read_text().splitlines()]
            (tmp_path / "sheet.jsonl").write_text("".join(f"{json.dumps({**line, **answer})}\n" for line in lines))
            cli(*sources, "--ask", ask, "--filled", "sheet.jsonl", "--as", "eve")
        last = [*read(tmp_path / "readings" / "eve.jsonl", Rating)][-1]
        assert (last.answers, last.words) == ({"charm": 2, "polite": 1}, {"polite": "very"})
        assert "charm was asked on another scale" in cli(
            *sources, "--ask", "charm=1-5", "--filled", "sheet.jsonl", "--as", "eve"
        )

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"naturalness": 7}, "sheet.jsonl:5: $.naturalness: 7 is no answer, 1 to 3 is wanted"),
            ({"person": "perhaps"}, "$.person: 'perhaps' is no answer, yes or no is wanted"),
            ({"coherence": None}, "$.coherence: {key} has no answer (write 1 to 3)"),
            ({"text": "0123456789abcdef"}, "$.text: no text of these sources has the id '0123456789abcdef'"),
            ({"charm": 3}, "$.charm: nothing of this name is asked"),
        ],
    )
    def test_with_a_bad_rating_is_refused_whole(
        self, tmp_path: Path, sources: list[str], cli: Callable[..., str], change: dict[str, Any], said: str
    ) -> None:
        cli(*sources, "-o", "sheet.jsonl")
        key = json.loads((tmp_path / "sheet.jsonl").read_text().splitlines()[-1])["text"]
        filled(tmp_path / "sheet.jsonl", over=lambda line: change if line["text"] == key else {})
        found = cli(*sources, "--filled", "sheet.jsonl", "--as", "eve")
        assert found.startswith("2: ")
        assert said.format(key=key) in found
        assert not (tmp_path / "readings").exists()

    def test_that_rates_a_text_twice_is_refused(
        self, tmp_path: Path, sources: list[str], cli: Callable[..., str]
    ) -> None:
        cli(*sources, "-o", "sheet.jsonl")
        sheet = filled(tmp_path / "sheet.jsonl")
        sheet.write_text(sheet.read_text() + sheet.read_text().splitlines()[1])
        assert "sheet.jsonl:6: $.text:" in (found := cli(*sources, "--filled", "sheet.jsonl", "--as", "eve"))
        assert "is rated twice, first on line 2" in found

    def test_that_is_none_is_refused(self, tmp_path: Path, sources: list[str], cli: Callable[..., str]) -> None:
        (tmp_path / "sheet.md").write_text("# Conversations\n")
        assert "sheet.md is no sheet" in cli(*sources, "--filled", "sheet.md", "--as", "eve")


class TestWhatReadersComeTo:
    def test_means_differences_and_agreement(self, tmp_path: Path, cli: Callable[..., str]) -> None:
        """Ana gives ours 1 and people 3, and takes people for people alone; Ben gives the first of ours 2."""
        every = [Text(source, (f"User: {n}",)) for n in range(20) for source in ("ours", "people")]
        texts = {one.key: one for one in every}
        asked = [Asked.of("naturalness=1-3"), Asked.of("person")]
        for who in ("ana", "ben"):
            queue = Readings(texts, asked, who, tmp_path / "readings")
            for text in texts.values():
                people = text.source == "people"
                rating = 3 if people else 1 + (who == "ben" and text.lines == ("User: 0",))
                queue.rate(text, {"naturalness": rating, "person": int(people)}, {})
        shown = cli("--against", "people", "--json", "figures.json")
        found = json.loads((tmp_path / "figures.json").read_text())
        ours, people = (one for one in found["means"] if one["question"] == "naturalness")
        assert (ours["n"], ours["mean"], people["mean"]) == (20, pytest.approx(1.025), 3)
        assert ours["beside"] == pytest.approx(-1.975)
        assert ours["beside_ends"][0] < -1.8 < ours["beside_ends"][1] < -1.5
        assert people["beside"] is None
        assert people["ends"][0] < 3 == people["ends"][1], "no interval is empty"
        shares = {one["source"]: one["mean"] for one in found["means"] if one["question"] == "person"}
        assert shares == {"ours": 0, "people": 1}
        (agree,) = (one for one in found["agreement"] if one["question"] == "naturalness")
        assert (agree["readers"], agree["n"], agree["share"]) == (["ana", "ben"], 40, 0.975)
        assert [word in shown for word in ("ana read 40, ben read 40", "97.5 %", "beside people")] == [True] * 3

    def test_of_nobody(self, cli: Callable[..., str]) -> None:
        assert "readings holds no ratings" in cli()


@pytest.mark.parametrize("ask", ["charm=3-1", "charm=1-3-5", "remark", "two words"])
def test_what_is_no_question_is_refused(sources: list[str], cli: Callable[..., str], ask: str) -> None:
    assert f"--ask {ask}: give a name with the ends of its scale" in cli(*sources, "--ask", ask, "-o", "sheet.md")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("dialogues.jsonl", "name each source, as in ours=dialogues.jsonl"),
        ("ours=none.jsonl", "there is no none.jsonl"),
        ("bad=bad.jsonl", "bad.jsonl:1: $: an object is wanted"),
        ("bad=apis.jsonl", "apis.jsonl:1: $.messages: no `messages` stand here, but format, name (give dialogues"),
        ("ours=people.jsonl", "give each source a label of its own"),
        ("mute=mute.jsonl", "mute.jsonl holds no conversation in which somebody says something: leave mute out"),
    ],
)
def test_what_is_no_source_is_refused(
    tmp_path: Path, sources: list[str], cli: Callable[..., str], source: str, said: str
) -> None:
    (tmp_path / "bad.jsonl").write_text("[]\n")
    (tmp_path / "mute.jsonl").write_text("")
    (tmp_path / "apis.jsonl").write_text('{"format": "api/1", "name": "Add"}\n')
    assert said in cli(*sources, source, "-o", "sheet.md")
