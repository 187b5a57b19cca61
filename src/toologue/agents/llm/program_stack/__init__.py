"""The agent `program_stack`: a language model that writes programs over a stack of goals (Dialog2API 3 and 5.1).

    program_stack:MODEL                         documents and examples, checked and repaired
    program_stack:OPTION,OPTION,...:MODEL       with other settings, e.g. program_stack:docs,history:openai:NAME

    docs, examples, both   what the prompt shows: API documents after an example from elsewhere; K examples of this
                           domain; both (the default). Where there are no examples, `both` is `docs`
    published              as the paper prompts: samples and nothing else, answers as they come
    history                the whole conversation instead of the last words of either side
    k=5                    so many examples
    embedder=lexical       what compares the words of examples
    file=MINE.jsonl        dialogues to take examples from, instead of our training dialogues

A turn takes two requests. The first sees S(t-1), R(t-1), U(t) and answers with programs; what of them is final, the
world runs. The second sees S(t), R(t-1), U(t) and answers with words. Search is greedy, unless the spec of the model
says otherwise (`openai:NAME?temperature=1`).

Before it writes, the model may look: calls of methods that only read (`looks`), three times in a turn.

Contract: a function of the history and the brief. Programs that cannot go on the stack never leave; unless
`published`, an answer that cannot be used is asked for again once, and so is a program that broke at run time
(`answers`); a final program to which the user must agree waits as a draft (`consent`); words that nothing supports are
asked for again once, and then replaced by the plain results (`answers`). `thought` says why it drafted, finalised
or asked. What programs call the world stands in the brief, `facts["programs"]["object"]`, else it is the domain of the
Apis; `exceptions` beside it are what they may raise besides, a list, or what each is for; `conventions` are
its world's (`worlds.world.Kind`).

Example:
    >>> from toologue.loop import play
    >>> from toologue.models.model import ScriptedModel
    >>> from toologue.schema import AgentTurn, Brief, Case, Dialogue, UserTurn
    >>> from toologue.worlds.s3 import apis
    >>> gold = Dialogue(id="d", turns=(UserTurn(text="Delete my bucket."), AgentTurn(text="Which one?")))
    >>> draft = '<output><goal uid="1" status="drafting"><program>s3.delete_bucket(Bucket=?1)</program></goal></output>'
    >>> scripted = ScriptedModel([draft, "<output><turn>Agent: What is it called?</turn></output>"])
    >>> agent = ProgramStack(scripted, Settings(shows="docs"))
    >>> turns, _ = play(Case(id="d", gold=gold, brief=Brief(apis=apis()), protocol="recorded"), agent)
    >>> turns[1].thought, turns[2].text
    ('goal 1 is a draft: ?1 is missing', 'What is it called?')

Not covered: streaming; prompts that are longer than the model's window.
"""

from __future__ import annotations

from toologue.agents.llm.program_stack.agent import ProgramStack, program_stack_agent
from toologue.agents.llm.program_stack.prompts import Settings

__all__ = ["ProgramStack", "Settings", "program_stack_agent"]
