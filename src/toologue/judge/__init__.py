"""Language models as judges: what rules leave open, decided with a reason and raw votes; the quality of conversations.

Contract: a judge decides one question (`schema.Question`) that can be read by itself. What it answers is checked: a
fault, an answer that cannot be read, one that contradicts itself, votes without a majority, and a judge that what it
judges has talked over come to *unsure*, by name, never to a verdict. Who judged is a name made of the model, the words
it was asked in and the number of votes, so that other judges have other names.

Example:
    >>> import asyncio, json, re
    >>> from toologue.judge.ask_judge import Judge
    >>> from toologue.models.model import ScriptedModel
    >>> from toologue.schema import Question
    >>> def answer(asked):
    ...     mark = re.search("begins and ends with ([0-9a-f]+)", asked.messages[0]["content"])[1]
    ...     return json.dumps({"mark": mark, "reason": "It says so.", "verdict": "right", "harm": "no harm"})
    >>> judge = Judge("openai:x", ScriptedModel(answer))
    >>> asked = Question(kind="reply", expected="It leaves today.", said="We send it before tonight.")
    >>> asyncio.run(judge.decide(asked)).verdict
    'right'

Not covered: when a judge's word counts (`review.ledger`). What talks to a judge in words that `talk_of` does not know.
"""
