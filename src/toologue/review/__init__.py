"""What is unsure gets settled, once: decisions of judges and people, kept in files, found again by every later run.

    reviews/ana.jsonl            decisions of a person, append-only: one file a reviewer
    reviews/judges/NAME.jsonl    decisions of a judge (a model), with its raw votes

Contract: a decision is on the content of a question (`schema.Question.key`), so nothing is asked twice, and a run, a
case or a file can go without its decisions going. A person goes before a judge, and of several people one who rejects
is enough. A judge's word counts only once people have shown that it agrees with them (`agreement`).

Example:
    >>> from toologue.review.ledger import Ledger
    >>> from toologue.schema import Decision, Question
    >>> asked = Question(kind="reply", expected="It leaves today.", said="We send it before tonight.")
    >>> ledger = Ledger([Decision(question=asked.key, kind="reply", verdict="right", by="person", who="ana")])
    >>> ledger.settled(asked).verdict
    'right'

Not covered: any screen. `cli.reviewing` is the one in the terminal.
"""
