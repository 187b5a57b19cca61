"""`toologue chat`, typed and piped: what is shown, what is asked, what is saved, how it ends."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

from tests.crud.vendor_documents import PAYMENTS
from toologue.cli import status
from toologue.cli.chatting import losses
from toologue.schema import Call, Case, Dialogue, Program, UserTurn
from toologue.schema.jsonl import read
from toologue.worlds.crud import simulator
from toologue.worlds.named import place_of
from toologue.worlds.world import make_world

AGENTS = '''
"""Agents that answer by what was said last."""

from toologue.agents.agent import ScriptedAgent
from toologue.schema import AgentTurn, Fault, Program, UserTurn

DELETE = 's3.delete_object(Bucket="larkfield-office", Key="contracts/2025/insurance.txt")'
WRITES = {
    "Count": Program(goal="1", status="final", code='return len(s3.list_buckets()["Buckets"])'),
    "Make": Program(goal="2", status="final", code='s3.put_object(Bucket="larkfield-scratch", Key="n.txt", Body="n")'),
    "Draft": Program(goal="3", status="drafting", code=DELETE),
    "Yes": Program(goal="3", status="final", code=""),
    "Overwrite": Program(goal="4", status="final",
        code='s3.put_object(Bucket="larkfield-scratch", Key="n.txt", Body="o")'),
    "Again": Program(goal="1", status="final", code="return 1"),
    "Alarm": Program(goal="1", status="final", code="return assistant.add_alarm(time='06:30:00')['alarm_id']"),
    "Cancel": Program(goal="1", status="final", code="shop.cancel_order(order_id='O-10442', reason='other')"),
    "Look": Program(goal="2", status="final", code="return shop.get_order(order_id='O-10318')['status']"),
    "Ticket": Program(goal="4", status="final", code="found = shop.get_order(order_id='O-10318')\\n"
        "shop.create_ticket(customer_id='C-2041', team='logistics', summary='A box is missing')"),
    "Seen": Program(goal="5", status="final", code="return shop.get_order(order_id='O-10318')['status']"),
    "Charge": Program(goal="1", status="final", code="till.create_charge(amount=5)"),
    "Escape": Program(goal="5", status="final", code="return chr(27) + '[2J'"),
}

class Echo:
    async def act(self, history, brief):
        said = max(n for n, turn in enumerate(history) if turn.role == "user")
        word = history[said].text
        if word == "Crash":
            raise RuntimeError("no idea")
        if word == "Fault":
            return AgentTurn(error=Fault(type="timeout", message="60 s"))
        if word == "Half":
            return AgentTurn(text="half a letter: \\ud800")
        if word == "Seven":
            return 7
        if word == "Rules":
            return AgentTurn(text=brief.instructions.splitlines()[0])
        if word in WRITES and said == len(history) - 1:
            return AgentTurn(acts=(WRITES[word],), thought="because " + word)
        return AgentTurn(text="Left alone." if history[-1].role == "agent" and history[-1].acts[0].status == "abandoned"
            else "Noted: " + word)

echo = Echo()
'''
Chat = Callable[..., str]


@pytest.fixture
def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Chat:
    """A whole chat: the lines that are typed, and further arguments; what was printed."""
    (tmp_path / "chat_agents.py").write_text(AGENTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "chat_agents", raising=False)

    def chatted(*lines: str, world: str = "s3", arguments: tuple[str, ...] = ()) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        assert status(["chat", "--world", world, "--agent", "chat_agents:echo", *arguments]) == 0
        return capsys.readouterr().out

    return chatted


class TestWhatIsShown:
    def test_programs_results_and_the_stack_as_it_grows(self, chat: Chat) -> None:
        shown = chat("Count", "Draft")
        assert shown.startswith("Agent: How can I help you?\n")
        assert '  | return len(s3.list_buckets()["Buckets"])\n  = 5\n  stack: 1 final\nAgent: Noted: Count' in shown
        assert "  goal 3, drafting\n  | s3.delete_object(" in shown
        assert "  stack: 3 drafting | 1 final" in shown
        assert "why" not in shown

    def test_why_on_demand(self, chat: Chat) -> None:
        assert "  why: because Count" in chat("Count", arguments=("--explain",))

    def test_commands_are_not_for_the_agent(self, chat: Chat) -> None:
        shown = chat("/stack", "/help", "/what", "", "Count", "/stack", "/quit", "never heard")
        assert "The stack is empty." in shown
        assert shown.count("/quit   the end") == 2
        assert shown.count("  goal 1, final") == 2
        assert "Noted: /what" not in shown
        assert "never heard" not in shown

    def test_paths_are_words(self, chat: Chat) -> None:
        assert "Noted: /tmp/a.txt please" in chat("/tmp/a.txt please")

    def test_results_cannot_steer_the_terminal(self, chat: Chat) -> None:
        shown = chat("Escape")
        assert "\x1b" not in shown
        assert "u001b[2J" in shown


class TestWhatIsAsked:
    def test_nothing_is_lost_without_a_yes(self, chat: Chat) -> None:
        shown = chat("Draft", "Yes", "n", "/stack")
        assert "This would lose something: Object/larkfield-office/contracts/2025/insurance.txt is deleted." in shown
        assert "Go on? [y/N] n" in shown
        assert "  goal 3, abandoned" in shown
        assert "Agent: Left alone." in shown

    def test_with_a_yes_it_is_done(self, chat: Chat) -> None:
        shown = chat("Draft", "Yes", "y", "/stack")
        assert shown.count("  goal 3, final\n  | s3.delete_object(") == 2  # when it was asked, and for /stack
        assert "Go on? [y/N] y\n  = null\n" in shown
        assert "  goal 3, final" in shown
        assert "Agent: Noted: Yes" in shown

    def test_what_is_new_is_not_lost(self, chat: Chat) -> None:
        assert "Go on?" not in chat("Make")

    def test_writing_over_is_losing(self, chat: Chat) -> None:
        assert "n.txt is written over." in chat("Make", "Overwrite", "no")

    def test_the_end_of_a_pipe_is_a_no(self, chat: Chat) -> None:
        assert "  goal 3, abandoned" in chat("Draft", "Yes")

    def test_a_line_of_a_pipe_that_is_no_answer_is_for_the_agent(self, chat: Chat) -> None:
        shown = chat("Draft", "Yes", "Count", "y")
        assert "Go on? [y/N] Count" in shown
        assert "  goal 3, abandoned" in shown
        assert "Agent: Noted: Count" in shown
        assert "Agent: Noted: y" in shown

    def test_what_waits_for_a_yes_by_its_document_is_asked_about(self, chat: Chat, tmp_path: Path) -> None:
        document = json.loads(json.dumps(PAYMENTS))
        document["paths"]["/v1/charges"]["post"]["x-confirm"] = True
        (tmp_path / "till.json").write_text(json.dumps(document))
        shown = chat("Charge", "n", world="till.json")
        assert "This waits for your yes: CreateCharge.\n  Go on? [y/N] n" in shown
        assert "  goal 1, abandoned" in shown

    def test_yes_turns_it_off(self, chat: Chat) -> None:
        shown = chat("Draft", "Yes", arguments=("--yes",))
        assert "Go on?" not in shown
        assert "Agent: Noted: Yes" in shown

    def test_with_a_real_endpoint_nothing_is_tried(self) -> None:
        case = Case(id="c", world=place_of("s3", None).setting, protocol="live")
        world = make_world(case)
        codes = {
            "return s3.list_buckets()": False,
            "s3.put_object(Bucket='b', Key='k')": True,
            "f = s3.DeleteBucket\nf(Bucket='b')": True,
            "getattr(s3, 'delete_' + 'bucket')(Bucket='b')": True,
            "raise ChitChat()": False,
        }
        for code, asks in codes.items():
            act = Program(goal="1", status="final", code=code)
            assert bool(list(losses(world, [act], simulated=False))) is asks, code
        calls = [Call(api="list_buckets"), Call(api="delete_bucket", arguments={"Bucket": "b"})]
        assert [at for at, _ in losses(world, calls, simulated=False)] == [1]

    def test_trying_leaves_no_trace(self) -> None:
        world = make_world(Case(id="c", world=place_of("s3", None).setting, protocol="live"))
        before = world.contents()  # type: ignore[attr-defined]
        empty = "for o in s3.list_objects(Bucket='larkfield-office')['Contents']:\n"
        act = Program(
            goal="1", status="final", code=f"{empty}    s3.delete_object(Bucket='larkfield-office', Key=o['Key'])"
        )
        ((at, lost),) = losses(world, [act], simulated=True)
        assert at == 0
        assert len(lost) > 10
        assert world.contents() == before  # type: ignore[attr-defined]


def test_without_an_agent_it_is_one_that_needs_no_model(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Set an alarm for 7 pm\nWhat alarms do I have?\n"))
    assert status(["chat"]) == 0
    assert "19:00:00" in capsys.readouterr().out.rpartition("Agent: ")[2]


@pytest.mark.parametrize("world", ["shop", "openapi.yaml"])
def test_nor_does_it_need_one_over_a_service(
    world: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = Path(simulator.__file__).parent / "shop"
    (tmp_path / "openapi.yaml").write_text((shipped / "openapi.yaml").read_text())
    (tmp_path / "seed.yaml").write_text((shipped / "seed.yaml").read_text())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("What is the status of order O-10318?\n"))
    assert status(["chat", "--world", world, *(() if world == "shop" else ("--data", "seed.yaml"))]) == 0
    assert "delivered" in capsys.readouterr().out.rpartition("Agent: ")[2]


def test_a_chatbot_that_writes_programs_needs_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["chat", "--agent", "program_stack"]) == 2
    error = capsys.readouterr().err.replace("\n", " ")
    assert "'program_stack' needs a model" in error
    assert "none is named; give one, program_stack:openai:NAME" in error


class TestOtherWorlds:
    def test_the_assistant(self, chat: Chat) -> None:
        assert "  | return assistant.add_alarm(time='06:30:00')['alarm_id']\n  = \"" in chat("Alarm", world="assistant")

    def test_a_service_that_ships(self, chat: Chat) -> None:
        shown = chat("Look", "Cancel", world="shop")
        assert '  = "delivered"' in shown

    def test_an_openapi_document(self, chat: Chat, tmp_path: Path) -> None:
        shipped = Path(simulator.__file__).parent / "shop"
        (tmp_path / "shop").mkdir()
        (tmp_path / "shop" / "openapi.yaml").write_text((shipped / "openapi.yaml").read_text())
        (tmp_path / "rows.yaml").write_text((shipped / "seed.yaml").read_text())
        shown = chat("Look", world="shop/openapi.yaml", arguments=("--data", "rows.yaml"))
        assert '  = "delivered"' in shown

    def test_an_openapi_document_with_its_overlay_and_a_part_of_its_operations(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "till.json").write_text(json.dumps(PAYMENTS))
        (tmp_path / "rows.yaml").write_text("x-seed: {now: 2025-03-12T09:30:00Z, charges: [{id: ch_7, amount: 731}]}")
        monkeypatch.chdir(tmp_path)
        over = ("chat", "--world", "till.json", "--agent", "retrieve", "--overlay", "rows.yaml", "--only", "GetCharge")
        monkeypatch.setattr("sys.stdin", io.StringIO("Get the charge ch_7\n"))
        assert status([*over]) == 0
        assert "731" in capsys.readouterr().out
        assert status([*over, "--exclude", "GetChrge"]) == 2
        assert "--exclude 'GetChrge' fits nothing: did you mean 'GetCharge'?" in capsys.readouterr().err
        assert status(["chat", "--overlay", "rows.yaml"]) == 2
        assert "the world 'assistant' is no OpenAPI document" in capsys.readouterr().err

    def test_one_that_is_not_there(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert status(["chat", "--world", "shp", "--agent", "retrieve"]) == 2
        assert "did you mean 'shop'" in capsys.readouterr().err

    def test_calls_are_shown_too(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("Set an alarm for 7 pm\n"))
        assert status(["chat", "--world", "assistant", "--agent", "retrieve"]) == 0
        assert '"AddAlarm"' in capsys.readouterr().out


class TestWhatAnAgentHasToKeepTo:
    def test_procedures_and_prose_are_told(self, chat: Chat, tmp_path: Path) -> None:
        (tmp_path / "rules").mkdir()
        text = (resources.files("toologue.plan.procedures.shop") / "return-an-item.md").read_text()
        (tmp_path / "rules" / "cancel.md").write_text(text)
        (tmp_path / "policy.txt").write_text("Refund nobody twice.\n")
        asked = ("--procedures", "rules", "--instructions", "policy.txt", "--transcript", "chats.jsonl")
        assert "Agent: Refund nobody twice." in chat("Rules", world="shop", arguments=asked)
        (kept,) = read(tmp_path / "chats.jsonl", Dialogue)
        assert kept.instructions.startswith("Refund nobody twice.\n\n---\nid: return-an-item\n")

    def test_a_folder_without_procedures_is_refused(self, chat: Chat, capsys: pytest.CaptureFixture[str]) -> None:
        assert status(["chat", "--procedures", "."]) == 2
        assert ". holds no procedure: no *.md" in capsys.readouterr().err


class TestTheTranscript:
    def test_is_a_test(self, chat: Chat, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        shown = chat("Count", "Draft", "Yes", "y", "Make", arguments=("--transcript", "chats.jsonl"))
        assert "4 rounds saved as chat-1 in chats.jsonl; next: toologue prove chats.jsonl" in shown
        assert status(["prove", "chats.jsonl", "--gold"]) == 0
        assert "gold: 100.0% of the conversations" in capsys.readouterr().out
        assert status(["run", "chats.jsonl", "--agent", "chat_agents:echo", "--out", "ran"]) == 0
        assert status(["score", "ran"]) == 0
        assert status(["prove", "dialog2api", "--data", "chats.jsonl", "--gold"]) == 0
        chat("Hello", arguments=("--transcript", "chats.jsonl"))  # a second one, in which no program was written
        assert status(["prove", "chats.jsonl"]) == 0

    @pytest.mark.parametrize(("world", "word"), [("assistant", "Alarm"), ("shop", "Look"), ("shop", "Cancel")])
    def test_in_any_world(self, chat: Chat, world: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
        chat(word, "y", world=world, arguments=("--transcript", "chats.jsonl"))
        assert status(["prove", "chats.jsonl", "--gold"]) == 0
        assert status(["run", "chats.jsonl", "--agent", "gold", "--out", "ran"]) == 0
        assert "gold: 100.0%" in capsys.readouterr().out

    def test_over_any_service_its_programs_are_altered_and_that_is_caught(self, chat: Chat, tmp_path: Path) -> None:
        chat("Look", "Ticket", "Seen", world="shop", arguments=("--transcript", "chats.jsonl"))
        assert status(["prove", "chats.jsonl", "--json", "proof.json"]) == 0
        proof = json.loads((tmp_path / "proof.json").read_text())
        assert proof["gold"] == 1
        took = {one["kind"]: (one["took"], one["caught"]) for one in proof["alterations"] if one["took"]}
        wrong = ("wrong_key", "missing_write", "extra_write", "unfinalised", "wrong_return")
        assert took == {**dict.fromkeys(wrong, (1, 1)), "other_names": (1, 0)}

    def test_what_was_refused_is_abandoned_in_it(self, chat: Chat, tmp_path: Path) -> None:
        chat("Draft", "Yes", "n", arguments=("--transcript", "chats.jsonl"))
        (saved,) = read(tmp_path / "chats.jsonl", Dialogue)
        acts = [act for turn in saved.turns if turn.role == "agent" for act in turn.acts]
        assert [act.status for act in acts if act.kind == "program"] == ["drafting", "abandoned"]
        assert status(["prove", "chats.jsonl", "--gold"]) == 0

    def test_holds_what_a_pipe_that_is_no_unicode_says(self, chat: Chat, tmp_path: Path) -> None:
        chat("caf\udce9", arguments=("--transcript", "chats.jsonl"))
        (saved,) = read(tmp_path / "chats.jsonl", Dialogue)
        assert saved.turns[1].text == "caf?"

    def test_grows(self, chat: Chat, tmp_path: Path) -> None:
        for _ in range(2):
            chat("Count", arguments=("--transcript", "chats.jsonl"))
        saved = list(read(tmp_path / "chats.jsonl", Dialogue))
        assert [one.id for one in saved] == ["chat-1", "chat-2"]
        assert saved[0].turns == saved[1].turns
        assert saved[0].world.name == "s3_programs"

    def test_where_nothing_was_said_nothing_is_written(self, chat: Chat, tmp_path: Path) -> None:
        assert "nothing is saved" in chat(arguments=("--transcript", "chats.jsonl"))
        assert not (tmp_path / "chats.jsonl").exists()

    def test_a_file_of_something_else_is_left_as_it_is(self, chat: Chat, tmp_path: Path) -> None:
        (tmp_path / "mine.jsonl").write_text('{"my": "notes"}\n')
        with pytest.raises(AssertionError):
            chat("Count", arguments=("--transcript", "mine.jsonl"))
        assert (tmp_path / "mine.jsonl").read_text() == '{"my": "notes"}\n'


class TestWhenTheAgentBreaks:
    @pytest.mark.parametrize(
        ("word", "told"), [("Crash", "RuntimeError: no idea"), ("Fault", "timeout: 60 s"), ("Seven", "wrong type")]
    )
    def test_it_is_said_and_the_chat_goes_on(self, chat: Chat, word: str, told: str) -> None:
        shown = chat(word, "Count", arguments=("--transcript", "chats.jsonl"))
        assert told in shown
        assert "\nAgent: Sorry" in shown
        assert "  = 5" in shown

    def test_half_a_letter_is_replaced_as_in_runs(self, chat: Chat) -> None:
        assert "\nAgent: half a letter: �\n" in chat("Half", "Count", arguments=("--transcript", "chats.jsonl"))

    def test_a_final_program_is_not_run_again(self, chat: Chat) -> None:
        shown = chat("Count", "Again")
        assert "StackError: goal '1' is final or abandoned already" in shown
        assert "  = 1\n" not in shown


def test_it_leaves_politely_when_interrupted(tmp_path: Path) -> None:
    (tmp_path / "chat_agents.py").write_text(AGENTS)
    command = [sys.executable, "-m", "toologue", "chat", "--world", "s3", "--agent", "chat_agents:echo"]
    running = subprocess.Popen(
        [*command, "--transcript", "chats.jsonl"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert running.stdin is not None
    assert running.stdout is not None
    running.stdin.write("Count\n")
    running.stdin.flush()
    while "Noted: Count" not in running.stdout.readline():
        pass
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0, err
    assert "1 round saved as chat-1" in out
    assert "Traceback" not in err
    (saved,) = read(tmp_path / "chats.jsonl", Dialogue)
    assert [turn.text for turn in saved.turns if isinstance(turn, UserTurn)] == ["Count"]
