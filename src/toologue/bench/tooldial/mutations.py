"""Mutations of labelled gold, and the proof that each lowers the metrics it must, and that right variants lower none.

    wrong         wrong_value     a filled slot holds another value                state accuracy, user turns
                  invented_value  a slot that is not known yet is filled           state accuracy, user turns
                  dropped_slot    a required or filled slot is missing             state accuracy, user turns
                  wrong_api       another Api is in hand                           state accuracy, user turns
                  forgotten       nothing is confirmed any more                    state accuracy, user turns
                  too_early       an Api is confirmed before it is known           state accuracy, user turns
                  wrong_action    another action                                   action accuracy, user turns
                  false_claim     the response says a number nobody gave           grounded
                  says_nothing    the response is empty                            grounded
    also right    slot_order      the slots in another order
                  as_text         numbers as texts, in capitals what is text
                  more_politely   the response with a kind word more

Contract: a mutation is made wherever it can be; each test begins at the gold, so all of a conversation's are graded at
once. `caught` are tests that are wrong. Good is the grader that catches all wrong ones and no right one; `as_text` is
right in `fixed` mode only, where types are documented.

Example:
    >>> from toologue.schema import UserTurn
    >>> gold = Dialogue(id="d", turns=(UserTurn(text="Hi"), AgentTurn(text="What?", action="clarify", state=State())))
    >>> [(p.kind, p.took, p.caught) for p in prove([gold], "fixed") if p.took]
    [('too_early', 2, 2), ('wrong_action', 2, 2)]

Not covered: two mistakes in one step; words that are false without a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pydantic import JsonValue

from toologue.bench.benchmark import Graded, Mode
from toologue.bench.prove import Proof
from toologue.bench.tooldial import Part, asked_at, grade
from toologue.formats.tooldial_answers import ACTIONS
from toologue.formats.tooldial_text import Task
from toologue.schema import AgentTurn, Dialogue, State, Trace

Mutation = Callable[[AgentTurn], "AgentTurn | None"]
_OTHER = "Nobody|knows|Such an API"


def wrong_value(turn: AgentTurn) -> AgentTurn | None:
    """A filled slot holds another value."""
    return _slots(turn, lambda value: f"{value} 7x" if _is_filled(value) else value)


def invented_value(turn: AgentTurn) -> AgentTurn | None:
    """A slot that is not known yet is filled."""
    return _slots(turn, lambda value: value if _is_filled(value) else "7x7")


def dropped_slot(turn: AgentTurn) -> AgentTurn | None:
    """A required slot is missing, or a filled one."""
    state = turn.state or State()
    if state.required:
        return turn.but(state=state.but(required=dict(list(state.required.items())[1:])))
    kept = {name: value for name, value in state.optional.items() if not _is_filled(value)}
    return turn.but(state=state.but(optional=kept)) if kept != state.optional else None


def wrong_api(turn: AgentTurn) -> AgentTurn | None:
    """Another Api is in hand."""
    state = turn.state or State()
    return turn.but(state=state.but(api=_OTHER)) if state.api else None


def forgotten(turn: AgentTurn) -> AgentTurn | None:
    """Nothing is confirmed any more."""
    return turn.but(state=State()) if turn.state is not None and turn.state.api else None


def too_early(turn: AgentTurn) -> AgentTurn | None:
    """An Api is confirmed before it is known."""
    return turn.but(state=State(api=_OTHER)) if turn.state is not None and turn.state.api is None else None


def wrong_action(turn: AgentTurn) -> AgentTurn | None:
    """Another action."""
    return turn.but(action=ACTIONS[ACTIONS.index(turn.action) - 1]) if turn.action else None


def false_claim(turn: AgentTurn) -> AgentTurn | None:
    """The response says a number that nobody gave."""
    return turn.but(text=f"{turn.text} That makes 918,273.64 in all.") if turn.action == "response" else None


def says_nothing(turn: AgentTurn) -> AgentTurn | None:
    """The response is empty."""
    return turn.but(text="") if turn.action == "response" else None


def slot_order(turn: AgentTurn) -> AgentTurn | None:
    """The slots in another order."""
    if turn.state is None or len(turn.state.required) < 2:
        return None
    return turn.but(state=turn.state.but(required=dict(reversed(turn.state.required.items()))))


def as_text(turn: AgentTurn) -> AgentTurn | None:
    """Numbers as texts, texts in capitals."""
    return _slots(turn, lambda value: f" {value} ".upper() if isinstance(value, str | int | float) and value else value)


def more_politely(turn: AgentTurn) -> AgentTurn | None:
    """The response with a kind word more."""
    return turn.but(text=f"Gladly! {turn.text}") if turn.action == "response" else None


_STATE: tuple[Task, ...] = ("dst", "overall")
WRONG: Mapping[str, tuple[Mutation, tuple[Task, ...]]] = {
    "wrong_value": (wrong_value, _STATE),
    "invented_value": (invented_value, _STATE),
    "dropped_slot": (dropped_slot, _STATE),
    "wrong_api": (wrong_api, _STATE),
    "forgotten": (forgotten, _STATE),
    "too_early": (too_early, _STATE),
    "wrong_action": (wrong_action, ("action", "overall")),
    "false_claim": (false_claim, ("faithfulness",)),
    "says_nothing": (says_nothing, ("faithfulness",)),
}
RIGHT: Mapping[str, tuple[Mutation, tuple[Task, ...]]] = {
    "slot_order": (slot_order, _STATE),
    "as_text": (as_text, _STATE),
    "more_politely": (more_politely, ("faithfulness", *_STATE)),
}
"""What is mutated, and the tasks whose tests must see it, or must not."""


def mutants(gold: Dialogue, task: Task, mutation: Mutation) -> dict[int, AgentTurn]:
    """By turn, the steps that a mutation makes of the gold's, where it is tested."""
    places = asked_at("action" if task == "overall" else task, gold)
    made = ((at, mutation(turn)) for at in sorted(places) if isinstance(turn := gold.turns[at], AgentTurn))
    return {at: turn for at, turn in made if turn is not None}


def prove(golds: Sequence[Dialogue], mode: Mode) -> list[Proof]:
    """Every mutation, wrong ones first. `applied`: conversations; `took`, `caught`: tests."""
    found: list[Proof] = []
    for made, wrong in ((WRONG, True), (RIGHT, False)):
        for name, (mutation, tasks) in made.items():
            found.append(_proof(name, wrong, list(_graded(golds, mode, mutation, tasks))))
    return found


def _proof(name: str, wrong: bool, graded: Sequence[tuple[Graded, frozenset[int]]]) -> Proof:
    verdicts = [
        (f"{one.gold.id}:{test['turn']}", bool(test["correct"]))
        for one, turns in graded
        for test in one.record["tests"]
        if test["turn"] in turns
    ]
    caught = sum(not correct for _, correct in verdicts)
    missed = tuple(place for place, correct in verdicts if correct == wrong)
    return Proof(name, wrong, len({one.gold.id for one, _ in graded}), len(verdicts), caught, missed)


def _graded(
    golds: Sequence[Dialogue], mode: Mode, mutation: Mutation, tasks: Sequence[Task]
) -> Iterator[tuple[Graded, frozenset[int]]]:
    """(the conversation, graded; the tests that saw a mutation)."""
    for task in tasks:
        part = Part(task)
        for gold in golds:
            instead = mutants(gold, task, mutation)
            if instead:
                turns = tuple(instead.get(at, turn) for at, turn in enumerate(gold.turns))
                trace = Trace(case="", dialogue=gold.id, protocol=part.protocol, agent="mutant", turns=turns)
                yield grade(part, mode, gold, trace), frozenset(_tests(gold, task, instead, mode))


def _tests(gold: Dialogue, task: Task, instead: Mapping[int, AgentTurn], mode: Mode) -> Iterator[int]:
    """The tests that see a mutation: its own turn; of overall the first step of its round."""
    for at, turn in instead.items():
        if task != "overall":
            yield at
            continue
        first = next(n + 1 for n in range(at - 1, -1, -1) if gold.turns[n].role == "user")
        stated = mode == "fixed" or at == first or turn.text is not None
        if stated or turn.action != gold.turns[at].action:  # the published text has no other states
            yield first


def _slots(turn: AgentTurn, change: Callable[[JsonValue], JsonValue]) -> AgentTurn | None:
    if turn.state is None or turn.state.api is None:
        return None
    required, optional = (
        {name: change(value) for name, value in slots.items()} for slots in (turn.state.required, turn.state.optional)
    )
    state = turn.state.but(required=required, optional=optional)
    return turn.but(state=state) if state != turn.state else None


def _is_filled(value: JsonValue) -> bool:
    return value not in ("", None)
