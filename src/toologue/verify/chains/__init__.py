"""Is a dialogue of the chains line valid? Apart from whoever planned and wrote it: a wish, its calls, the answer.

    shape       turns alternate, each is labelled; calls are silent and have results                path
    path        each action may follow the one before it; all together are the planned sequence;
                what follows a search is what the band of its best score calls for                  path
    execution   the world answers now as recorded, and so does the retriever                        path, acts
    arguments   states and calls hold what is known by then, under the right API: what the user
                told, and the chained value once the source's result has but one, or one is chosen  states
    carried     the user's words say every value of `informed`, and no value beside; a request
                asks for what is lacking, or offers several of the results to choose from           words
    supported   the agent says nothing that results or the user did not say; a response says some   words
                a result is of the place that its call asked for                                places
    wording     the agent names no API and no parameter as documents do                             words

ToolDial has a language model write these conversations and people judge a hundred of them (3.4); here each is looked
up. The action graph (figure 3) and the rules of dialogue states (3.3, A.4) stand here once more, so that a mistake of
the planner's is not repeated.

Contract: `verify_chain` is total: whatever the dialogue, it lists what is wrong, by turn; an empty list means valid,
and, where `world` executes, executed and equal. Without a world (None), results are only compared with what documents
say: consistent, not executed. Without the retriever's index, scores are only looked at for their order and their band.

Example:
    >>> from toologue.schema import AgentTurn, Api, Dialogue, State, UserTurn
    >>> turns = (
    ...     UserTurn(text="Something about trains?", action="inform_intent_vague"),
    ...     AgentTurn(text="Which trains?", action="clarify", state=State(api="Trains"), thought="That is vague."),
    ... )
    >>> trains = Dialogue(id="d", turns=turns, origin={"line": "chains", "target": "Trains"})
    >>> for flaw in verify_chain(trains, None, apis={"Trains": Api(name="Trains")}):
    ...     print(flaw)
    turn 1: arguments: the state has 'Trains' in hand; nothing is settled yet
    turn 1: path: a clarify may not follow an inform_intent_vague
    turn 1: path: a conversation does not end with a clarify

Not covered: what sentences mean, and whether they sound like people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toologue.loop import World, execute
from toologue.models.index import Index
from toologue.schema import Api, Dialogue
from toologue.verify import RULES, Flaw
from toologue.verify.chains.path import wrong_path, wrong_searches, wrong_shapes
from toologue.verify.chains.places import wrong_places
from toologue.verify.chains.states import chain_of, track, wrong_states
from toologue.verify.chains.words import wrong_words
from toologue.verify.procedures.content import wrong_acts


def verify_chain(
    dialogue: Dialogue,
    world: World | None,
    *,
    apis: Mapping[str, Api],
    sequence: Sequence[str] | None = None,
    index: Index | None = None,
) -> list[Flaw]:
    """Every flaw of a dialogue of the chains line, by turn; none if it is valid.

    `world` is left as it was. `apis` are documents by name. `sequence` are the planned steps: actions, or
    `request_multi`. `index` is the retriever's, of the Apis that it knows: it is asked again what the dialogue asked.
    """
    chain = chain_of(dialogue)
    contexts = track(dialogue, chain, apis)
    flaws = [*wrong_shapes(dialogue), *wrong_path(dialogue, contexts, sequence)]
    flaws += () if _replays(dialogue, world) else wrong_acts(dialogue, apis, world)
    flaws += wrong_searches(dialogue, chain, apis, index)
    flaws += wrong_states(dialogue, chain, contexts, apis)
    flaws += wrong_words(dialogue, chain, contexts, apis)
    flaws += wrong_places(dialogue)
    return sorted(flaws, key=lambda flaw: (flaw.turn, RULES.index(flaw.rule)))


def _replays(dialogue: Dialogue, world: World | None) -> bool:
    """Whether every call plainly has its recorded value again: a glance that spares most dialogues a closer look."""
    turns = (turn for turn in dialogue.turns if turn.role == "agent")
    acts = (pair for turn in turns for pair in zip(turn.acts, turn.results, strict=False))
    calls = [(act, result) for act, result in acts if act.kind == "call"]
    if world is None or any(result is None or result.error or result.changes for _, result in calls):
        return False
    mark = world.mark()
    try:
        values = ((execute(world, act).value, result.value) for act, result in calls if result)
        return all(
            one is not None and one == other and str(one) == str(other) for one, other in values
        )  # true is not 1
    finally:
        world.rewind(mark)
