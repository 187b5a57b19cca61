"""Is a dialogue valid? Apart from whoever planned and wrote it: acts are done again, steps followed, values looked up.

    shape       the customer begins, turns alternate, calls have results, a reply or a goodbye
                is last                                                                          content
    execution   every act, done again in a fresh world, gives the recorded result                content
    arguments   every argument is what the node's expression comes to; the document allows it    content, path
    path        consecutive nodes are joined; where values decide, by the link that they choose;
                noise calls nothing; a reply has not the words of another message                path
    carried     the customer's words say every value that they inform of                         content
    supported   replies say what their node shows, no value that nothing supports, and of a few words
                that a result can have no other one than it has                                  content
    stale       replies say the newest result                                                    content
    detour      with cues: noise and refusal are said word for word                              content
    wording     no stand-ins, no braces, nothing of the procedure's language                     content

The paper asks a model to keep to these (ALMITA 3.8, A.6) and people to throw away what does not (25 of 217
conversations); here acts, steps and values are looked up.

Contract: `verify` is total: whatever the dialogue, it lists what is wrong, by turn; an empty list means valid. A
dialogue whose world executes nothing (`recorded`, `none`) is consistent at best, and not executed: its results are
compared with what documents say. Without a graph `path` is silent, and arguments are checked against the documents
alone. Raises UserError where the world itself cannot be made.

Example:
    >>> from toologue.schema import AgentTurn, Dialogue, UserTurn
    >>> turns = (UserTurn(text="Is O-10423 on its way?"), AgentTurn(text="O-10423 comes on 3 May."))
    >>> for flaw in verify(Dialogue(id="d", turns=turns)):
    ...     print(flaw)
    turn 1: supported: nothing so far says '3 May.'

Not covered: what words mean. A reply that shows the right values around another wrong sentence passes; so does any
sentence where there is no value to show, and, without cues, noise that is obeyed in words alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toologue.loop import World
from toologue.schema import Api, Cue, Dialogue, Graph
from toologue.verify import RULES, Flaw, Rule
from toologue.verify.procedures.content import detours, documents, shape, wording, world_of, wrong_acts, wrong_values
from toologue.verify.procedures.path import Stand, follow

__all__ = ["RULES", "Flaw", "Rule", "verify"]


def verify(
    dialogue: Dialogue,
    graph: Graph | None = None,
    *,
    apis: Mapping[str, Api] | None = None,
    world: World | None = None,
    cues: Sequence[Cue] = (),
) -> list[Flaw]:
    """Every flaw of a dialogue, by turn; none if it is valid.

    `graph` is the conversation graph that it walks; `apis` are documents by name, the world's own if None; `world` is a
    fresh one (it is left as it was), the dialogue's own if None; `cues` are those of its plan.
    """
    world = world_of(dialogue) if world is None else world
    known = documents(dialogue, apis, world)
    stands, flaws = follow(dialogue, graph) if graph and graph.nodes else ([Stand()] * len(dialogue.turns), [])
    flaws += shape(dialogue)
    flaws += wrong_acts(dialogue, known, world)
    flaws += wrong_values(dialogue, stands, known)
    flaws += detours(dialogue, cues)
    flaws += wording(dialogue, [*known, *dialogue.apis])
    return sorted(flaws, key=lambda flaw: (flaw.turn, RULES.index(flaw.rule)))
