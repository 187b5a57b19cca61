"""`toologue plan words`: what people say at the steps of procedures, found once by a model, and kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toologue import limits
from toologue.cli.options import OptionalOut, at_least_one
from toologue.cli.terminal import ask, echo, say, say_first, table
from toologue.errors import BadSetting

if TYPE_CHECKING:
    from toologue.project.statistics import Source
    from toologue.write.ask_wordings import Tally

_LINES, _WORDS = 20, 160


def words(
    *what: str,
    model: str,
    out: OptionalOut = None,
    service: str | None = None,
    count: int = 2,
    tries: int = 2,
    seed: int = 0,
) -> None:
    """What people say at the steps of procedures, in some registers: asked once of a model, checked, used ever after.

    `generate`, `test` and `write` say it in place of the template's words. What a file holds of a step is asked for
    again only where the step has changed; killed and run again, nothing is asked twice.

    Parameters
    ----------
    what
        Procedures or services that ship, .md files of yours with --service, or the folder of a project.
    model
        openai:NAME or module:attribute.
    out
        The wordings.jsonl, which keeps what it has; by default that beside the procedures (or here).
    service
        What the calls of .md files are made to, as `generate --service` takes it.
    count
        How many texts for each register at each place.
    tries
        How often the model is asked for the places of a procedure, those for which it found nothing again.
    seed
        Sent to the model.
    """
    from toologue.models.ask import model as model_of
    from toologue.models.recording import keeping_replies, told_spec
    from toologue.plan.procedures.service import service as service_of
    from toologue.schema.jsonl import write
    from toologue.write.ask_wordings import Tally, ask_wordings
    from toologue.write.wordings import read_wordings

    at_least_one(count=count, tries=tries)
    if not what:
        raise BadSetting("name procedures, or the folder of a project: toologue plan words order-not-received")
    chosen, beside = _chosen(what, service)
    file = out or beside
    known, tallies = {one.place: one for one in read_wordings(file)}, list[Tally]()
    with keeping_replies(file.parent, "words", told_spec(model), count, tries, seed):
        asked = model_of(model, "writer")
        for source in chosen:
            tally, apis = Tally(), service_of(source.world).apis.values()
            asking = ask_wordings(
                source.procedure, apis, asked, tally, known=known, count=count, tries=tries, seed=seed
            )
            found = ask(model, asking)
            known |= {one.place: one for one in found}
            tallies.append(tally)
            if found:
                write(file, known.values())
    _say(tallies)
    echo(f"wordings for {len(known)} places in {file}", note=True)


def _chosen(what: Sequence[str], service: str | None) -> tuple[list[Source], Path]:
    """The procedures, and the file beside them."""
    from toologue.project.generate import sources
    from toologue.project.settings import FILE, open_project
    from toologue.worlds.named import given_setting
    from toologue.write.wordings import FILE as WORDINGS

    if len(what) == 1 and (Path(what[0]) / FILE).is_file():
        project = open_project(Path(what[0]))
        files = project.procedures
        return sources([*map(str, files)], project.world), files[0].with_name(WORDINGS)
    own = next((Path(name) for name in what if name.endswith(".md")), Path())
    return sources(what, given_setting(service)), own.with_name(WORDINGS) if own.name else Path(WORDINGS)


def _say(tallies: Sequence[Tally]) -> None:
    heads = ("places", "asked for", "requests", "texts kept", "dropped", "places without")
    rows = (
        (one.procedure, one.places, one.asked, one.replies, one.kept, one.dropped.total(), len(one.without))
        for one in tallies
    )
    say(table(("procedure", *heads), rows, title="wordings", right=heads))
    examples = {why: text for one in reversed(tallies) for why, text in one.examples.items()}
    every = sum((one.dropped for one in tallies), Counter[str]())
    if every:
        dropped = ((why, times, limits.cut(examples[why], _WORDS)) for why, times in every.most_common())
        say(table(("dropped", "how often", "for example"), dropped, right=("how often",)))
    if without := [
        f"  {one.procedure}: step {place.step}: {place.answer or place.text}"
        for one in tallies
        for place in one.without
    ]:
        echo("the template's words stand at places without any:")
        say_first(without, _LINES)
