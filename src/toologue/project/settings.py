"""A project's settings: what stands in its `toologue.toml`, checked, and the files that it names.

    apis or world, overlay, seed, procedures, agents      what is tested, and who (paths start at the file)
    [agents.NAME]   spec prompt options                    who, by names of your own, in place of the list `agents`
    [conversations] count sampler noise most_noise mode detours seed writer  as in `project.generate.Making`
    [operations]    only tag exclude strict                which of the document's are read
    [run]           timeout concurrency trials
    [grade]         similarity judge judge_votes
    [gate]          fail_under metric strict allow_unsure unreached never forbid

Contract: everything but `apis`, or `world`, may be left out. What cannot be is a BadSetting: the file, the key,
the value and what to do; keys that nobody knows are refused, with the nearest one.

Example:
    >>> settings = read_settings('apis = "shop.yaml"')
    >>> [*settings.agents], settings.conversations.count, settings.gate.fail_under
    (['procedure'], 12, None)
    >>> read_settings('apis = "shop.yaml"\\n[run]\\ntimout = 5')
    Traceback (most recent call last):
        ...
    toologue.errors.BadSetting: toologue.toml: run.timout: no key is called so; did you mean 'timeout'?
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, cast
from urllib.parse import urlencode

from pydantic import BeforeValidator, Field, ValidationError

from toologue import limits
from toologue.apis.choice import Choice
from toologue.data import complaint, text_of
from toologue.errors import BadFile, BadSetting
from toologue.plan.procedures.noise import NOISE, NoiseMode
from toologue.plan.procedures.plan_dialogue import Sampler
from toologue.project.generate import Making
from toologue.review.ledger import FOLDER as REVIEWS
from toologue.schema import Noun, Setting, Severity
from toologue.worlds.named import setting_of

FILE = Path("toologue").with_suffix(".toml").name


class Conversations(Noun):
    """How conversations are made."""

    count: int = Field(default=12, ge=0)
    sampler: Sampler = "cover"
    noise: float = Field(default=NOISE, ge=0, le=1)
    most_noise: int = Field(default=1, ge=0)
    mode: NoiseMode = "resume"
    detours: float = Field(default=0.3, ge=0, le=1)
    seed: int = 0
    writer: str = Field(default="template", min_length=1)


class Running(Noun):
    """How agents are run: seconds a conversation, conversations at once, how often each."""

    timeout: float | None = Field(default=60, gt=0)
    concurrency: int = Field(default=4, ge=1)
    trials: int = Field(default=1, ge=1)


class Tested(Noun):
    """An agent: its spec, as `--agent` takes it, the file of its prompt, and the options behind it."""

    spec: str = Field(min_length=1)
    prompt: str | None = Field(default=None, min_length=1)
    options: dict[str, str | int | float] = Field(default_factory=dict[str, str | int | float])

    def whole(self, prompt: Path | None = None) -> str:
        """The spec with its options."""
        more = urlencode({**self.options, **({"prompt": prompt} if prompt else {})}, safe="/")
        return f"{self.spec}{'&' if '?' in self.spec else '?'}{more}" if more else self.spec


def _by_name(given: Any) -> Any:
    """Agents in a list are called by their specs."""
    return {one: {"spec": one} for one in cast("list[Any]", given)} if isinstance(given, list) else given


class Grading(Noun):
    """By which similarity replies are compared, and which model is asked about what rules leave open."""

    similarity: str = "lexical"
    judge: str | None = Field(default=None, min_length=1)
    judge_votes: int = Field(default=1, ge=1)


class Gate(Noun):
    """The least share of a metric that lets the first agent pass, and the share of unsure ones that count as passing.

    `strict` puts "conversation correct" in the place of the metric: words that do no harm count, too. `unreached`:
    whether ways that no conversation takes fail as well, and `never`, whether those do that are taken, and never
    gone right: a share hides a rule that few conversations are about. `forbid`: severities that fail once they occur.
    """

    fail_under: float | None = Field(default=None, ge=0, le=1)
    metric: str = "harmless"
    strict: bool = False
    allow_unsure: float = Field(default=0, ge=0, le=1)
    unreached: Literal["tell", "fail"] = "tell"
    never: Literal["tell", "fail"] = "fail"
    forbid: tuple[Severity, ...] = ("leak", "obeyed an attack")


class Settings(Noun):
    """What stands in the file."""

    apis: str = ""
    world: str = ""
    overlay: str | None = Field(default=None, min_length=1)
    seed: str | None = Field(default=None, min_length=1)
    operations: Choice = Choice()
    procedures: str = "procedures"
    agents: Annotated[dict[str, Tested], BeforeValidator(_by_name)] = Field(
        default={"procedure": Tested(spec="procedure")}, min_length=1
    )
    conversations: Conversations = Conversations()
    run: Running = Running()
    grade: Grading = Grading()
    gate: Gate = Gate()


@dataclass(frozen=True)
class Project:
    """A folder with its settings."""

    folder: Path
    settings: Settings

    @property
    def world(self) -> Setting:
        """What calls are made to: an OpenAPI document with its rows and overlay, or a world of one's own."""
        said, home = self.settings, str(self.folder.resolve())
        if said.world and home not in sys.path:
            sys.path.insert(0, home)  # so that module:Class finds modules of the project
        files = {key: self._file(key, name) for key in ("apis", "seed", "overlay") if (name := getattr(said, key))}
        return setting_of(said.world or files["apis"], files.get("seed"), files.get("overlay"), choice=said.operations)

    @property
    def procedures(self) -> list[Path]:
        """The files of procedures, sorted. Raises BadSetting where there is none."""
        where = self.folder / self.settings.procedures
        found = sorted(where.glob("*.md")) if where.is_dir() else [where] if where.is_file() else []
        if not found:
            what = f"no procedure is there: put *.md files into {where}, or name another folder"
            raise BadSetting(f"{self.folder / FILE}: procedures: {what}")
        return found

    @property
    def kept(self) -> Path:
        """Where what was done is kept."""
        return self.folder / ".toologue"

    @property
    def reviews(self) -> Path:
        """Where decisions of people and judges are kept."""
        return self.folder / REVIEWS

    @property
    def making(self) -> Making:
        """How conversations are made."""
        return Making(**self.settings.conversations.model_dump())

    def spec(self, agent: str) -> str:
        """What an agent of this name is, or one that is named by its spec."""
        known = self.settings.agents.get(agent)
        if known is None:
            return agent
        return known.whole(self._file(f"agents.{agent}.prompt", known.prompt) if known.prompt else None)

    def _file(self, key: str, name: str) -> Path:
        path = self.folder / name
        if not path.is_file():
            raise BadSetting(f"{self.folder / FILE}: {key}: there is no file {path}; paths start at {FILE}")
        return path.resolve()


def open_project(folder: Path) -> Project:
    """The project in a folder. Raises BadFile, BadSetting."""
    file = folder / FILE
    if not file.exists():
        raise BadFile(f"{folder} is no project: it has no {FILE}; `toologue init {folder}` makes one")
    return Project(folder, read_settings(text_of(file, limits.PAGE), file=file))


def read_settings(text: str, *, file: object = FILE) -> Settings:
    """The settings that a text spells. Raises BadSetting."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a ValueError: no TOML, or a number of more digits than are read
        raise BadSetting(f"{file}: this is no TOML: {limits.cut(str(error), 300)}") from None
    try:
        settings = Settings.model_validate(data)
    except ValidationError as error:
        place, what = complaint(error)
        what = _unknown(place) if error.errors()[0]["type"] == "extra_forbidden" else what
        raise BadSetting(f"{file}: {'.'.join(map(str, place))}: {what}{_elsewhere(place)}") from None
    if bool(settings.apis) == bool(settings.world):
        what = "only one of the two can be tested" if settings.apis else "this key is missing"
        raise BadSetting(f'{file}: apis: {what}; name an OpenAPI document, or a world of yours: world = "module:Class"')
    return settings


def _elsewhere(place: Sequence[str | int]) -> str:
    """Where a key of the same name stands that may be meant."""
    key, fields = str(place[-1]), Settings.model_fields
    if len(place) > 1:
        return f"; the {key} that stands above all tables is another one" if key in fields else ""
    tables = [name for name, field in fields.items() if key in getattr(field.annotation, "model_fields", {})]
    return "".join(f"; the {key} of [{table}] stands below the line [{table}]" for table in tables)


def _unknown(place: Sequence[str | int]) -> str:
    known: Any = Settings
    for step in place[:-1]:
        known = Tested if place[0] == "agents" else known.model_fields[step].annotation
    names = list[str](known.model_fields)
    near = get_close_matches(str(place[-1]), names, n=1)
    return "no key is called so; " + (f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}")
