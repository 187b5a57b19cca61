"""The agent `goal_templates`: dialogues with programs over an object store, with no language model.

    goal_templates              examples are found with the embedder `lexical`
    goal_templates:EMBEDDER     with another: goal_templates:minilm

What it does when it is its turn (Dialog2API, section 3):

1. `mind` folds the history: each of the user's turns is heard (`hearing`) and decided upon (`deciding`), with what
   programs really came to. What is heard: typed values (`values`), everyday words by their classes (`vocabulary`),
   from these the operations (grammar.yaml, `refining`) and their slots (`slots`, cues.yaml).
2. `deciding` finds what is possible: to confirm, change or give up the draft that waits (`revising`), or a new wish
   with what the conversation knows about it (`settling`, `placing`, `context`), or an exception of conversation. Which
   of these it is, the training dialogues say (`evidence`, `templates`). A draft while a slot is open or something would
   be destroyed, else final (`goals`).
3. `coding` writes the code, by the shapes of programs.yaml: operations over selections and over what is in a file
   (`tables`), with outputs, so that unseen combinations of seen parts work.
4. When they have run, `wording` says what came of it, and asks for what is missing.

In another world, whose Apis the brief has, `retrieve` decides, and its calls stand as programs (`elsewhere`).

Learnt from the training dialogues (`learning`): which of ten things a turn does, that is, to confirm, revise, abandon,
begin anew, or one of the six exceptions. Written by hand, with these dialogues in view: the cues that count as
evidence, the words for operations and slots, what "it" means, whether a new wish stands alone or changes the last one,
what must be confirmed, what each operation returns (also those that no training dialogue has: tables, fields,
appending), and the agent's words. Rules stand above what was learnt where it could do harm: nothing is confirmed
without words that agree or name the operation again, nor given up without words that refuse; a draft waits through what
is not understood; and an exception that is like no example is decided by whether it is a question.

Contract: a function of the history and the brief; what it keeps is a cache. Its work is linear in a message (`gist`).
Every turn with programs says in its `thought` why.

Example:
    >>> from toologue.loop import play
    >>> from toologue.schema import Case, Dialogue, UserTurn
    >>> gold = Dialogue(id="d", turns=(UserTurn(text="How many csv files are in my-attic?"), AgentTurn(text="Two.")))
    >>> turns, _ = play(Case(id="d", gold=gold, protocol="next"), GoalTemplates(bank()))
    >>> print(turns[1].acts[0].code)
    objects = s3.list_objects(Bucket="my-attic").get("Contents", [])
    objects = [obj for obj in objects if obj["Key"].endswith(".csv")]
    return len(objects)

Not covered: in other worlds, programs of more than one call; programs of a shape that programs.yaml lacks.
"""

from __future__ import annotations

from collections.abc import Sequence

from toologue.agents.agent import Player
from toologue.agents.goal_templates.elsewhere import act as act_elsewhere
from toologue.agents.goal_templates.elsewhere import is_elsewhere
from toologue.agents.goal_templates.goals import Move
from toologue.agents.goal_templates.mind import Here, code_in, understand
from toologue.agents.goal_templates.templates import Bank, bank
from toologue.agents.goal_templates.wording import say
from toologue.agents.retrieve import Retrieve
from toologue.models.embed import embedder
from toologue.schema import AgentTurn, Brief, Program, Turn

__all__ = ["GOAL_TEMPLATES", "GoalTemplates"]


class GoalTemplates:
    """The agent."""

    def __init__(self, bank: Bank):
        self._bank = bank
        self._elsewhere = Retrieve(embedder(bank.spec))

    async def act(self, history: Sequence[Turn], brief: Brief) -> AgentTurn:
        """The programs of this turn; once they are written, the words."""
        if is_elsewhere(brief):
            return await act_elsewhere(self._elsewhere, history, brief)
        here = understand(history, self._bank)
        if here.written or not here.moves:
            return AgentTurn(text=say(here, len(history)))
        acts = tuple(_programs(here, history))
        return AgentTurn(
            acts=acts,
            thought="; ".join(f"{act.goal}: {_why(move)}" for act, move in zip(acts, here.moves, strict=True)),
        )


def _programs(here: Here, history: Sequence[Turn]) -> list[Program]:
    """The moves as programs; new goals get the next numbers."""
    used = [
        int(act.goal)
        for turn in history
        if turn.role == "agent"
        for act in turn.acts
        if act.kind == "program" and act.goal.isdigit()
    ]
    free = max(used, default=0)
    found: list[Program] = []
    for move in here.moves:
        free += not move.number
        stands = next((goal for goal in here.mind.goals if goal.number == move.number), None) if move.kept else None
        code = stands.code if stands else code_in(move)
        found.append(Program(goal=move.number or str(free), status=move.status, code=code))
    return found


def _why(move: Move) -> str:
    asks = f", asks for {move.asked}" if move.asked else ""
    return f"{move.status}{f' {move.raises}' if move.raises else ''}{asks}: {move.why}"


def GOAL_TEMPLATES(argument: str) -> Player:  # noqa: N802 - a registered constant
    """The player `goal_templates`, or `goal_templates:EMBEDDER`."""
    agent = GoalTemplates(bank(argument or "lexical"))
    return Player(f"goal_templates:{argument}" if argument else "goal_templates", lambda case: agent)
