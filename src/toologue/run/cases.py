"""From dialogues to cases: what the agent is told, which world it acts in, one seed a case.

Example:
    >>> from toologue.schema import AgentTurn, UserTurn
    >>> hello = Dialogue(id="hello", turns=(UserTurn(text="Hi"), AgentTurn(text="Hello")))
    >>> [(case.id, case.trial) for case in cases_of([hello], Settings(trials=2))]
    [('hello', 0), ('hello', 1)]

Not covered: cases without a gold; make them yourself (`schema.Case`) for `live` conversations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pydantic import Field

from toologue import keys
from toologue.errors import UnknownName
from toologue.loop import ground
from toologue.schema import Api, Brief, Case, Dialogue, Noun, ProtocolName
from toologue.worlds.world import documents_of, kind_at, make_world


class Settings(Noun):
    """How dialogues become cases. `cap`: agent turns a round."""

    protocol: ProtocolName = "forced"
    seed: int = 0
    trials: int = Field(default=1, ge=1)
    see: tuple[str, ...] = ()
    cap: int = Field(default=50, ge=1)


def cases_of(
    dialogues: Iterable[Dialogue], settings: Settings, apis: Mapping[str, Api] | None = None
) -> Iterator[Case]:
    """The cases of dialogues, in order, the trials of one dialogue together.

    `apis` are documents by name, for dialogues that carry none and whose world has none of its own.
    """
    shared: dict[tuple[str, tuple[str, ...]], tuple[Api, ...]] = {}
    for dialogue in dialogues:
        told = (dialogue.world.model_dump_json(), dialogue.apis)
        own = "apis" in dialogue.extra or not kind_at(dialogue.world).by_name
        documents = None if own else shared.get(told)
        if documents is None:
            documents = _documents(dialogue, apis or {})
            if not own:
                shared[told] = documents
        brief = Brief.model_construct(instructions=dialogue.instructions, facts=dialogue.facts, apis=documents)
        for trial in range(settings.trials):
            yield Case(
                id=dialogue.id,
                gold=dialogue,
                brief=brief,
                world=dialogue.world,
                data=kind_at(dialogue.world).data_key(dialogue.world),
                protocol=settings.protocol,
                trial=trial,
                seed=keys.seed_of(settings.seed, dialogue.id, trial),
                see=settings.see,
                cap=settings.cap,
            )


def grounded(dialogue: Dialogue) -> Dialogue:
    """The dialogue with its acts executed, where its world can and it was not done before."""
    turns = [turn for turn in dialogue.turns if turn.role == "agent" and turn.acts]
    known = any(result is not None and result.changes for turn in turns for result in turn.results)
    if not turns or known or dialogue.world.name in ("none", "recorded"):
        return dialogue
    case = Case(id=dialogue.id, gold=dialogue, world=dialogue.world, protocol="recorded")
    return ground(dialogue, make_world(case))


def _documents(dialogue: Dialogue, apis: Mapping[str, Api]) -> tuple[Api, ...]:
    known = {**apis, **documents_of(dialogue)}
    if not dialogue.apis:
        return tuple(known.values())
    for name in dialogue.apis:
        if name not in known:
            raise UnknownName(f"API of dialogue {dialogue.id!r}", name, known)
    return tuple(known[name] for name in dialogue.apis)
