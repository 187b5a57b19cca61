"""The parts of `toologue plan` in which a language model may write: intents; procedures from prose, or for an intent.

Not covered: reading what came of it; somebody has to.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from cyclopts import Parameter
from rich.table import Table
from rich.text import Text

from toologue.cli.terminal import say
from toologue.errors import BadFile, BadSetting
from toologue.formats.procedure import write as write_procedure
from toologue.models.model import ModelFault
from toologue.models.model import model as model_of
from toologue.plan.procedures.by_model import IntentTally, Rewritten, ask_intents, ask_procedures
from toologue.plan.procedures.by_model import rewrite as rewrite_prose
from toologue.plan.procedures.intents import intent
from toologue.plan.procedures.intents import intents as catalogue
from toologue.plan.procedures.service import service as service_of
from toologue.schema.jsonl import write

T = TypeVar("T")


def intents(
    *,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    model: str | None = None,
    count: int = 84,
    industries: list[str] | None = None,
    seed: int = 0,
) -> None:
    """What customers contact support about: our catalogue, or intents that a model thinks of.

    Parameters
    ----------
    out
        The intents.jsonl to write.
    model
        openai:NAME or module:attribute; by default the catalogue is shown, offline.
    count
        How many a model is asked for; none of them is like one of the catalogue.
    industries
        Only of these.
    seed
        Sent to the model.
    """
    found, tally = [one for one in catalogue() if not industries or one.industry in industries], IntentTally()
    if model is not None:
        asked = ask_intents(model_of(model), count, tally, industries=industries or (), known=catalogue(), seed=seed)
        found = list(_answered(model, asked))
    if not found:
        raise BadSetting(f"there are no intents: {', '.join(industries or ())}")
    if out is not None:
        write(out, found)
    table = Table("industry", "intents", "for example")
    for industry, number in Counter(one.industry for one in found).items():
        first = next(one for one in found if one.industry == industry)
        table.add_row(Text(industry), str(number), Text(first.name))
    say(table)
    for why, number in tally.dropped.most_common():
        print(f"{number} dropped: {why}")
    print(f"{len(found)} intents{f' in {out}' if out else ''}")


def rewrite(
    what: str,
    /,
    *,
    model: str,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    service: str | None = None,
    count: int = 2,
    tries: int = 3,
    seed: int = 0,
) -> int:
    """Procedures in our dialect by a model, from prose or for an intent. Exits 1 where one does not become sound.

    Parameters
    ----------
    what
        A file of free prose, or the id of an intent of the catalogue.
    model
        openai:NAME or module:attribute.
    out
        The folder for ID.md.
    service
        An OpenAPI document, or the name of a shipped service, whose operations may be called.
    count
        How many procedures for an intent.
    tries
        How often the model may mend one.
    seed
        Sent to the model.
    """
    apis = None if service is None else tuple(service_of(service).apis.values())
    file, asked = Path(what), model_of(model)
    if file.suffix in (".md", ".txt"):
        try:
            prose = file.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadFile(f"cannot read {file}: {error}") from None
        one = _answered(model, rewrite_prose(prose, asked, apis=apis, id=file.stem, tries=tries, seed=seed))
        return _kept(out, [one])
    chosen = ask_procedures(intent(what), asked, count=count, apis=apis, tries=tries, seed=seed)
    return _kept(out, _answered(model, chosen))


def _kept(out: Path, made: Sequence[Rewritten]) -> int:
    """Write what is sound, and say what is wrong with the rest."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        for one in made:
            if one.procedure is not None:
                file = out / f"{one.procedure.id}.md"
                file.write_text(write_procedure(one.procedure), "utf-8")
                print(f"{file}: {len(one.procedure.steps)} steps, after {len(one.problems)} tries")
            for finding in one.findings:
                print(f"  line {finding.line}: {finding.quote!r} is a {finding.rule}: {finding.remedy}")
            for problem in one.problems[-1] if one.procedure is None else ():
                print(f"  not sound: line {problem}")
    except OSError as error:
        raise BadFile(f"cannot write to {out}: {error.strerror or error}") from None
    return int(any(one.procedure is None for one in made))


def _answered(spec: str, asked: Coroutine[Any, Any, T]) -> T:
    try:
        return asyncio.run(asked)
    except ModelFault as fault:
        raise BadSetting(f"the model {spec!r} does not answer: {fault}") from None
