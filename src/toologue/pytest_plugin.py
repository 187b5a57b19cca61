"""pytest: the conversations of a project are tests, and tests of your own take conversations (docs/your-agent.md).

Every run of pytest where toologue is installed loads this module, so it imports nothing else of toologue until there is
a conversation. Workers of xdist collect the same tests in the same order.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pytest

if TYPE_CHECKING:
    from toologue.project.playable import Playable, Played, Tested
    from toologue.schema import Dialogue


class _Kept(NamedTuple):
    """What can be played, and what was played ahead, by agent and conversation: it, or why there is none."""

    playable: dict[tuple[Path, str], Playable]
    ahead: dict[tuple[Path, str], dict[str, Played | str]]


_KEPT = pytest.StashKey[_Kept]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options."""
    what = "agents under test, in place of the first in toologue.toml: agent.py:agent, procedure, openai:NAME, …"
    parser.getgroup("toologue").addoption("--toologue-agent", action="append", default=[], metavar="AGENT", help=what)
    parser.addini("toologue_agent", what, type="linelist", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """The marker, and what is kept of a session."""
    marker = "toologue(path, protocol='next'): the test is run with each conversation of a project or dialogues.jsonl"
    config.addinivalue_line("markers", marker)
    config.stash[_KEPT] = _Kept({}, {})


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Projects, wherever they are met; files of conversations, where they are named on the command line."""
    if (file_path.stem, file_path.suffix) != ("toologue", ".toml"):
        if file_path.suffix != ".jsonl" or not parent.session.isinitpath(file_path):
            return None
        from toologue.schema import Dialogue
        from toologue.schema.jsonl import holds

        if not holds(file_path, Dialogue):
            return None
    return Conversations.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test of one's own with the marker is run with each conversation."""
    mark = metafunc.definition.get_closest_marker("toologue")
    if mark is not None and "conversation" in metafunc.fixturenames:
        from toologue.errors import ToologueError

        paths = [metafunc.definition.path.parent / one for one in mark.args]
        try:
            played = _playable(metafunc.config, *paths, **mark.kwargs)
        except ToologueError as error:
            pytest.fail(str(error), pytrace=False)
        given = [(played, gold) for gold in played.golds]
        metafunc.parametrize("conversation", given, ids=[gold.id for gold in played.golds], indirect=True)


@pytest.fixture
def conversation(request: pytest.FixtureRequest) -> ConversationToPlay:
    """A conversation of the project or file that the marker `toologue` names."""
    if not hasattr(request, "param"):
        pytest.fail('conversation: say which: @pytest.mark.toologue("PROJECT or dialogues.jsonl")', pytrace=False)
    playable, gold = cast("tuple[Playable, Dialogue]", request.param)
    return ConversationToPlay(playable, gold, request.node)


@dataclass(frozen=True, repr=False)
class ConversationToPlay:
    """One that a test of one's own can put an agent through."""

    playable: Playable
    gold: Dialogue
    node: pytest.Item

    @property
    def id(self) -> str:
        """Its name."""
        return self.gold.id

    def __repr__(self) -> str:
        return f"<{self.id}>"

    def play(self, agent: Tested) -> Played:
        """Play it with an agent: a function of (messages, tools), an object with `act`, or a name; and grade it."""
        found: list[Played] = []
        self.playable.play(agent, [self.gold], found.append)
        self.node.add_report_section("call", "conversation", found[0].transcript)
        return found[0]


class Conversations(pytest.File):
    """Those of a project, or of a file."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item for each agent and conversation."""
        from toologue.errors import ToologueError

        try:
            playable = _playable(self.config, self.path)
        except ToologueError as error:
            raise self.CollectError(str(error)) from None
        config = self.config
        agents = config.getoption("toologue_agent") or config.getini("toologue_agent") or playable.agents
        if not agents:
            raise self.CollectError(f"{self.path}: who is tested? Give --toologue-agent AGENT, or set toologue_agent")
        for agent, gold in product(dict.fromkeys(agents), playable.golds):
            name = f"{gold.id}[{agent}]"
            asked = {"nodeid": f"{self.nodeid}::{name}", "asked": (playable, agent, gold)}
            yield Conversation.from_parent(self, name=name, **asked)  # pyright: ignore[reportUnknownMemberType]


class Conversation(pytest.Item):
    """A conversation as a test of an agent."""

    def __init__(self, *, asked: tuple[Playable, str, Dialogue], **rest: Any):
        super().__init__(**rest)  # pyright: ignore[reportUnknownMemberType]
        self.playable, self.agent, self.gold = asked
        self.add_marker("toologue")
        self.lived: Played | None = None

    def setup(self) -> None:
        """Play it; who gave no reply has not failed, and nothing is known of it: an error."""
        from toologue.score.metric import no_reply

        lived = self.lived = _played(self)
        self.add_report_section("call", "conversation", lived.transcript)
        if why := no_reply(lived.trace):
            pytest.fail(f"not scored: {why}", pytrace=False)

    def runtest(self) -> None:
        """Say what came of it."""
        lived = self.lived
        assert lived is not None, "it was played"
        if lived.status == "failed":
            pytest.fail("\n".join(lived.says), pytrace=False)
        if lived.status != "passed":
            pytest.skip("; ".join(line.strip() for line in lived.says) or lived.status)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Where the procedure ends that it follows."""
        file, line = self.playable.where(self.gold)
        return (Path(file), line - 1, self.name) if file else (self.path, None, self.name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What is unsure is skipped at its place in the procedure."""
    report = yield
    if isinstance(item, Conversation) and report.skipped and isinstance(report.longrepr, tuple):
        path, line, _ = item.reportinfo()
        report.longrepr = (os.fspath(path), (line or 0) + 1, report.longrepr[2])
    return report


def _playable(config: pytest.Config, path: Path, protocol: str = "next") -> Playable:
    from toologue.project.playable import Playable

    known, key = config.stash[_KEPT].playable, (path.resolve(), protocol)
    if key not in known:
        known[key] = Playable.of(path, protocol)
    return known[key]


def _played(item: Conversation) -> Played:
    """The conversation, played; all that are selected at once when the first is due, unless the run may stop before."""
    config, kept = item.config, item.config.stash[_KEPT]
    stops = any(config.getoption(name, None) for name in ("maxfail", "usepdb", "stepwise"))
    key, golds = (item.path, item.agent), [item.gold]
    if key not in kept.ahead and not stops and not hasattr(config, "workerinput"):
        same = (one for one in item.session.items if isinstance(one, Conversation))
        golds = [one.gold for one in same if (one.path, one.agent) == key]
    found = kept.ahead.setdefault(key, {})
    if item.gold.id not in found:
        _play(item, golds, found)
    lived = found.pop(item.gold.id)
    if isinstance(lived, str):
        pytest.fail(lived, pytrace=False)
    return lived


def _play(item: Conversation, golds: Sequence[Dialogue], found: dict[str, Played | str]) -> None:
    from toologue.errors import ToologueError

    def keep(lived: Played) -> None:
        found[lived.gold.id] = lived

    try:
        item.playable.play(item.agent, golds, keep)
    except ToologueError as error:
        for gold in golds:
            found.setdefault(gold.id, str(error))
