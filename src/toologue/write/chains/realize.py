"""The words of one conversation of the chains line, turn by turn; `ChainWriter`, which needs no model.

Styles and phrases follow the plan's number, so that dialogues of one pair differ from their first word. What is costly
(queries and the retriever's answers) is made once for each pair, band and variant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import cast

from pydantic import JsonValue

from toologue import keys
from toologue.errors import BadSetting, shown
from toologue.models.embed import Embedder
from toologue.models.index import Index
from toologue.models.retriever import Band
from toologue.plan.chains.uses import NO_USES, Uses, about_of
from toologue.schema import AgentTurn, Api, Cue, Dialogue, Plan, Result, Retrieve, Turn, UserTurn
from toologue.schema.use import UseKey
from toologue.text.bank import stem_and_number
from toologue.text.names import kind_of
from toologue.text.times import MONTHS
from toologue.write.chains.answers import Answer, answer, records
from toologue.write.chains.bank import STYLES, Bank, BankName, Voice
from toologue.write.chains.bank import bank as bank_of
from toologue.write.chains.names import Name, clause, output, spoken, thing_of, value_text
from toologue.write.chains.queries import Asked, DropReason, Given, Queries, Unworded
from toologue.write.chains.questions import Question, chooses, of_thing, of_value, question_of, questions_of, searches
from toologue.write.chains.told import Told
from toologue.write.chains.words import joined, singular

# So many ways one pair's dialogues open in one band.
VARIANTS = 12

_KEPT, _YEARS = 4096, ("year", "season", "model year")
_DAY = re.compile(r"\d{1,2} [A-Z][a-z]+ \d{4}$")


class Desk:
    """What all conversations share: queries, the bank, the seed, and the wishes that were worded before."""

    def __init__(self, queries: Queries, bank: Bank, seed: int):
        self.queries, self.bank, self.seed = queries, bank, seed
        self.once = lru_cache(maxsize=_KEPT)(self._opening)

    def _opening(
        self, about: UseKey, pair: str, band: Band, variant: int, told: Given | None, again: bool
    ) -> Asked | DropReason:
        style = "neutral" if again else STYLES["user"][variant % len(STYLES["user"])]  # nobody says hello twice
        found: DropReason | None = None  # an error that is kept would keep all that stood around it
        for one in dict.fromkeys((style, *STYLES["user"][:2])):  # what no words of a style reach, plain ones do
            voice = Voice(self.bank, "user", one, seed=keys.seed_of(self.seed, pair, band), start=variant)
            hello = "" if again or variant % 2 else f"{voice('hello')} "
            try:
                if told is None:
                    return self.queries.vague(about, band, voice, start=variant, hello=hello)
                return self.queries.clear(about, voice, told, start=variant, hello=hello)
            except Unworded as unworded:
                found = found or unworded.reason
        return cast("DropReason", found)


class Realizer:
    """One conversation. `user` and `agent` are its voices."""

    def __init__(self, desk: Desk, plan: Plan):
        self._desk, self._plan = desk, plan
        origin, id = plan.dialogue.origin, plan.dialogue.id
        self._pair = f"{origin.get('source')}|{origin.get('target')}"
        self._along: list[str] = [*along] if isinstance(along := origin.get("along"), dict) else []
        _, number = stem_and_number(id)
        place = keys.seed_of(desk.seed, self._pair) % 1009 + (number or keys.seed_of(id) % 1009)
        seed = keys.seed_of(desk.seed, id)
        users, agents = STYLES["user"], STYLES["agent"]
        self._variant = place % VARIANTS
        self.user = Voice(desk.bank, "user", users[place % len(users)], seed=seed)
        self.agent = Voice(desk.bank, "agent", agents[seed % len(agents)], seed=seed >> 8)
        self._asked: Asked | None = None
        self._request: Cue | None = None
        fail = next((cue.before for cue in plan.cues if cue.move == "fail_inform"), dict[str, JsonValue]())
        self._missing, self._mind = str(fail.get("missing", "")), str(fail.get("mind", "id"))
        self._in_hand: str | None = None
        self._failed = self._found = False
        self._about = about_of(origin)
        self._told = Told(desk.queries.uses, plan, place)
        self._known: list[JsonValue] = []
        self._answer = self._answer_of(plan)
        self._question = self._question_of(self._answer)

    def turn(self, turn: UserTurn | AgentTurn, cue: Cue) -> UserTurn | AgentTurn:
        """A turn with its words. Raises BadSetting, UnknownName, Unworded."""
        if turn.role == "user":
            return turn.replace(text=self._user_says(cue))
        if cue.move == "call":
            self._found = self._failed
            return turn
        if cue.move == "retriever_call":
            return self._retrieved(turn)
        return turn.replace(text=self._agent_says(cue, turn))

    def _user_says(self, cue: Cue) -> str:
        match cue.move:
            case "inform_intent_clear" | "inform_intent_clear_add":
                return self._open("confirm", self._given(cue))
            case "inform_intent_vague":
                band = cue.before.get("band")
                if band not in ("suggest", "clarify"):
                    raise BadSetting(f"a vague wish reaches the band suggest or clarify, not {shown(band)}")
                return self._open(cast("Band", band), None)
            case "inform":
                return self._inform(cue)
            case "fail_inform":
                return self._fail(cue)
            case "affirm":
                return self._told.accepting(self._offer) or self.user("affirm")
            case "negate":
                return self._told.declining(self._offer).person or self.user("negate")
            case "user_bye":
                empty = self._answer is not None and self._answer.kind == "empty"
                return self._told.thanks or self.user("bye_empty" if empty else "bye")
            case _:
                raise BadSetting(f"{cue.move!r} is nothing that users do on the chains line")

    def _agent_says(self, cue: Cue, turn: AgentTurn) -> str:
        match cue.move:
            case "request":
                return self._ask(cue, turn)
            case "response":
                return self._respond()
            case "clarify":
                asked = self._asked
                return self._offer or self.agent("clarify", topic=_taken_up(asked.topic) if asked else "that")
            case "suggest":
                return self._suggest()
            case "response_fail" | "system_bye":
                if cue.move == "system_bye":
                    return self.agent("system_bye")
                topic = (self._asked and _taken_up(self._asked.topic)) or "that"
                return self._told.declining(self._offer).assistant or self.agent("response_fail", topic=topic)
            case _:
                raise BadSetting(f"{cue.move!r} is nothing that agents do on the chains line")

    # ---- acts

    def _retrieved(self, turn: AgentTurn) -> AgentTurn:
        act = turn.acts[0] if turn.acts else None
        if not isinstance(act, Retrieve):
            raise BadSetting("a retriever_call needs a retrieve act")
        if act.missing is not None:
            self._failed = True
            return turn
        if self._asked is None:
            raise BadSetting("a retriever_call comes before the user has said what is wanted")
        found: dict[str, JsonValue] = dict(self._asked.retrieved)
        return turn.replace(acts=(act.replace(query=self._asked.text),), results=(Result(value={"retrieved": found}),))

    # ---- the user

    def _given(self, cue: Cue) -> Given:
        """What a clear wish asks, and the value that comes with it."""
        if opening := self._told.opening(cue.values):
            return Given(self._question, opening=opening)
        target = self._target()
        for name, value in cue.values.items():
            called = self._name(target, name)
            words = singular(called.words) if called.many else called.words
            where = of_value(target, name, value, listed=bool(self._question.things))
            return Given(self._question, words, value_text(value), where)
        if self._question.things and searches(target):
            raise Unworded("no natural answer", target.name)
        return Given(self._question)

    def _open(self, band: Band, told: Given | None) -> str:
        self._target()
        asked = self._desk.once(self._about, self._pair, band, self._variant, told, self._asked is not None)
        if not isinstance(asked, Asked):
            raise Unworded(asked, self._about[2])
        self._asked = asked
        return asked.text

    def _question_of(self, told: Answer | None) -> Question:
        """The question that the answer answers; of an answer that nobody hears, the first that is. Raises Unworded."""
        target = self._desk.queries.source(str(self._plan.dialogue.origin.get("target")))
        if self._told.answer or self._desk.queries.wishes(self._about):
            return Question()
        if told is None or told.kind == "empty":
            return next(iter(questions_of(target)), Question())
        asked = question_of(target, told, self._known, self._of(target)) if told.kind != "odd" else Question()
        if not asked:
            raise Unworded("no natural answer", target.name)
        return asked

    def _of(self, target: Api) -> str:
        """Of what something is asked, as long as nobody says it."""
        return of_thing(target, self._thing(self._missing) if self._missing and self._mind != "id" else None)

    def _inform(self, cue: Cue) -> str:
        values = self._named(cue.replace(values=_with_days(cue.values)))
        if not values:
            raise BadSetting("an inform needs values")
        if self._request is not None and _options(self._request):
            name, value = values[0]
            if line := self._told.choosing().person:
                return line
            kind = "choose_one" if _speaks(value) else "choose_by"
            return self.user(kind, value=value_text(value), **({} if _speaks(value) else {"name": name.words}))
        return self._told.says(self._in_hand or "", cue.values) or self._plainly(values)

    def _plainly(self, values: Sequence[tuple[Name, JsonValue]]) -> str:
        """Values in answer to a question for them; those that say nothing by themselves have their names beside."""
        (_, value), *others = values
        if any(isinstance(one, bool) for _, one in values):
            return self.user("inform", clause=clause(values))
        plain = [not others or _speaks(one) or called.words in _YEARS for called, one in values]
        texts = [
            value_text(one) if bare else f"{called.words} {value_text(one)}"
            for bare, (called, one) in zip(plain, values, strict=True)
        ]
        span = len(texts) == 2 and all(map(_DAY.search, texts)) and str(value) < str(others[0][1])
        return self.user("inform_values", values=(" to " if span else ", ").join(texts))

    def _fail(self, cue: Cue) -> str:
        missing = cue.before.get("missing")
        if not isinstance(missing, str):
            what = f'a fail_inform says in before["missing"] what the user does not know, not {shown(missing)}'
            raise BadSetting(what)
        name = self._lacking(missing)
        asked = self._thing(missing).thing or self._told.question(self._target().name, [missing])
        if self._mind != "id" and asked:
            return self._fail_thing(cue, missing)
        values = self._named(cue)
        if line := self._told.unknown:
            more = self._told.says(self._target().name, cue.values) if values else ""
            return _text(line, more or (self.user("inform", clause=clause(values)) if values else ""))
        if values:
            return self.user("fail_rest", missing=name.whose, clause=clause(values))
        return self.user("fail_nothing", missing=name.whose)

    def _fail_thing(self, cue: Cue, missing: str) -> str:
        """What somebody says who is asked which thing is meant: its name, or nothing certain; then the rest."""
        target, source = self._target(), self._source()
        named = {name: value for name, value in cue.values.items() if name not in target.parameters}
        rest = [(self._name(target, name), value) for name, value in cue.values.items() if name not in named]
        if self._mind == "open" and not (self._told.unknown or chooses(self._thing(missing), source)):
            raise Unworded("no natural answer", target.name)  # nobody wants a fact of what is still to be chosen
        said = (self._told.unknown or self.user(f"fail_{self._mind}")) if self._mind != "name" else ""
        if not said:
            told = [(self._name(source, name), value) for name, value in named.items()]
            said = self._told.says(source.name, named) or self._plainly(told)
        more = self._told.says(target.name, dict(cue.values)) or (f"{clause(rest)}." if rest else "")
        return _text(said, f"{more[:1].upper()}{more[1:]}")

    # ---- the agent

    def _ask(self, cue: Cue, turn: AgentTurn) -> str:
        before, self._request = self._request, cue
        self._in_hand = turn.state.api if turn.state is not None else None
        if options := _options(cue):
            name, values = options
            if line := self._told.choosing(values).assistant:
                return line
            kind = "choose" if all(map(_speaks, values)) else "choose_by"
            names = {} if kind == "choose" else {"names": output(name).words}
            return self.agent(kind, options=joined([*map(value_text, values)], "or"), **names)
        if not cue.values:
            raise BadSetting("a request needs the names of what it asks for, in `values`")
        api = self._desk.queries.source(self._in_hand or self._target().name)
        names = {name: self._name(api, name) for name in cue.values}
        which = self._told.question(api.name, [self._missing])
        if (self._mind != "id" or which) and self._missing in names and not self._failed:
            names = {name: one for name, one in names.items() if name not in self._along}
            names[self._missing] = names[self._missing] if self._mind == "id" else self._thing(self._missing)
        if self._failed and before is not None:
            names = {name: one.short for name, one in names.items()}
        slots = [*turn.state.required.values(), *turn.state.optional.values()] if turn.state is not None else []
        pointed = any(value not in ("", None) for value in slots)  # something says already what is meant
        if len(days := [name for name in names if _is_day(name)]) > 1:
            names = {name: one for name, one in names.items() if name not in days[1:]} | {days[0]: Name("date")}
        needed = [name for name in names if api.parameters[name].required] or ([] if pointed else [*names][:1])
        first = self.agent("ack") if before is None and self.agent.style != "brief" else ""
        look = "see" if self._mind == "open" else "look_up"
        lead = self.agent("found" if self._found else look) if self._failed and before is not None else first
        extra = [name for name in names if name not in needed]
        if (one := names.get(self._missing)) and one.thing:
            needed = [name for name in needed if name != self._missing]
            lead = _text(lead, which or self._asking([one]))
        if line := self._told.question(api.name, [*needed, *extra]):
            return _text(lead, line)
        asked = self._told.question(api.name, needed) or self._asking([names[name] for name in needed])
        return _text(
            lead, asked, self._told.question(api.name, extra) or self._offering([names[name] for name in extra])
        )

    def _asking(self, names: Sequence[Name]) -> str:
        """A question for what is needed."""
        if not names:
            return ""
        if len(names) == 1 and names[0].which:
            return self.agent("which", thing=names[0].words)
        lacking = self._plan.dialogue.origin.get("source") is not None and not self._failed
        return self.agent("request_id" if lacking else "request", names=joined([name.whose for name in names]))

    def _offering(self, names: Sequence[Name]) -> str:
        """A question for what may be left out."""
        if not names:
            return ""
        if len(names) == 1 and names[0].which:
            return self.agent("optional_which", thing=names[0].words)
        return self.agent("optional", names=joined([name.the for name in names]))

    def _respond(self) -> str:
        told = self._answer
        if line := self._told.answer:
            return line
        if told is None:
            raise BadSetting("a response follows the result of a call")
        asked = self._question
        if told.kind == "empty":
            return self.agent("respond_done" if self._target().writes else "respond_empty")
        if told.kind == "odd":
            raise Unworded("no natural answer", self._target().name)
        if told.kind == "list":
            count = {"count": f"{told.rows} {records(told.names)}".rstrip()} if told.rows else {}
            return self.agent("respond_list", items=told.listed, **count)
        if asked.things or told.kind == "name":
            return self.agent("respond_single", items=told.listed)
        return self.agent("respond", clause=told.said(self._known))

    @property
    def _offer(self) -> str:
        """What answers the vague wish, if a use has it."""
        return self._asked.reply if self._asked else ""

    def _suggest(self) -> str:
        if line := self._offer or self._told.offer:
            return line
        asked = self._question
        wishes = self._desk.queries.wishes(self._about)
        if (asked.facts and not (asked.of or asked.mine)) or (asked.things and searches(self._target())):
            raise Unworded("no natural answer", self._target().name)
        offer = wishes[0] if wishes else f"{'find' if asked.things and not asked.of else 'look up'} {asked.noun}"
        return self.agent("suggest", offer=_taken_up(offer))

    # ---- names

    def _target(self) -> Api:
        target = self._plan.dialogue.origin.get("target")
        if not isinstance(target, str):
            raise BadSetting(f'origin["target"] is the name of the Api that the user wants, not {shown(target)}')
        return self._desk.queries.api(target)

    def _lacking(self, missing: str) -> Name:
        """What the user does not know, as one thing: where it is, of a latitude and a longitude."""
        lacking = (missing, *self._along)
        if {kind_of((name,)) for name in lacking} == {"place.lat", "place.lon"}:
            return Name("exact position of the place")
        return Name(" or ".join(self._name(self._target(), name).words for name in lacking))

    def _thing(self, missing: str) -> Name:
        """What is asked for instead of an id that nobody knows: the film; else what is lacking."""
        return thing_of(self._lacking(missing), self._target(), self._source())

    def _source(self) -> Api:
        return self._desk.queries.source(str(self._plan.dialogue.origin.get("source")))

    def _name(self, api: Api, parameter: str) -> Name:
        names = self._desk.queries.names(api.name)
        if parameter not in names:
            raise BadSetting(f"{api.name!r} has no parameter {shown(parameter)}; it has {', '.join(names) or 'none'}")
        return names[parameter]

    def _named(self, cue: Cue) -> list[tuple[Name, JsonValue]]:
        names = self._desk.queries.names(self._desk.queries.source(self._in_hand).name) if self._in_hand else {}
        slots = self._desk.queries.source(self._in_hand).parameters if self._in_hand else {}
        values = {name: spoken(one, name, slots[name]) if name in slots else one for name, one in cue.values.items()}
        return [(names.get(name) or output(name), value) for name, value in values.items()]

    def _answer_of(self, plan: Plan) -> Answer | None:
        result: JsonValue = None
        for turn, cue in zip(plan.dialogue.turns, plan.cues, strict=True):
            if cue.move == "response":
                return answer(result, cue.values, api=self._target(), about=self._known)
            if turn.role == "user":
                self._known += turn.informed.values()
            elif cue.move == "call" and turn.results and turn.results[0] is not None:
                result = turn.results[0].value
        return None


# A wish as an agent takes it up: `see what I owe` → show you what you owe.
_OFFERS = {
    r"^(?:see|hear|view) ": "show you ", r"^(?:know|learn) ": "find out ", r"\bI(?: a|')m\b": "you are",
    r"\b(?:I|me)\b": "you", r"\bmy\b": "your", r"\bmine\b": "yours",
}  # fmt: skip


def _taken_up(wish: str) -> str:
    """A wish, or a part of it, as an agent says it."""
    for ours, theirs in _OFFERS.items():
        wish = re.sub(ours, theirs, wish)
    return wish


def _text(*parts: str) -> str:
    return " ".join(filter(None, parts))


def _options(cue: Cue) -> tuple[str, list[JsonValue]] | None:
    return next(((name, value) for name, value in cue.values.items() if isinstance(value, list) and value), None)


def _is_day(name: str) -> bool:
    return kind_of((name,)) in ("day number", "month", "year")


def _with_days(values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Values with a day and a month that were asked for apart, and the year, as a date: 14 August 2022."""
    by_kind = {kind_of((name,)): name for name in values if _is_day(name)}
    day, month = (values.get(by_kind.get(kind, "")) for kind in ("day number", "month"))
    if not (str(day).isdigit() and str(month).isdigit() and 0 < int(str(month)) <= len(MONTHS)):
        return dict(values)
    year = values.get(by_kind.get("year", ""), "")
    date = f"{int(str(day))} {MONTHS[int(str(month)) - 1]} {year}".strip()
    return {"date": date} | {name: value for name, value in values.items() if name not in by_kind.values()}


def _speaks(value: JsonValue) -> bool:
    """Whether a value says by itself what it is: a name does, a number or a score does not."""
    return isinstance(value, str) and sum(char.isalpha() for char in value_text(value)) > 2


class ChainWriter:
    """Finds words for plans of the chains line, offline.

    `bands` replaces the embedder's own thresholds; `index` is that of the Apis, if there is one already.
    """

    name = "chains"

    def __init__(
        self,
        apis: Iterable[Api] | Mapping[str, Api],
        embedder: Embedder,
        *,
        seed: int = 0,
        bank: BankName = "train",
        bands: Mapping[str, float] | None = None,
        index: Index | None = None,
        uses: Uses = NO_USES,
    ):
        self._desk = Desk(Queries(apis, embedder, bands=bands, index=index, uses=uses), bank_of(bank), seed)

    def check(self, about: UseKey, actions: Collection[str] = ()) -> None:
        """Raises Unworded where nobody would ask for this pair, or Api, or not in a conversation of these actions."""
        self._desk.queries.check(about, actions)

    async def write(self, plan: Plan) -> Dialogue:
        """The dialogue with its words."""
        return self.words(plan)

    def words(self, plan: Plan) -> Dialogue:
        """The dialogue with its words. Raises BadSetting, UnknownName, Unworded."""
        telling = Realizer(self._desk, plan)
        turns: list[Turn] = []
        for number, (turn, cue) in enumerate(zip(plan.dialogue.turns, plan.cues, strict=True)):
            try:
                turns.append(telling.turn(turn, cue))
            except BadSetting as error:
                raise BadSetting(f"plan {plan.dialogue.id!r}, cue {number} ({cue.move}): {error}") from error
        origin = {
            **plan.dialogue.origin, "writer": f"{self.name}:{self._desk.bank.name}",
            "style": {"user": telling.user.style, "agent": telling.agent.style},
        }  # fmt: skip
        return plan.dialogue.replace(turns=tuple(turns), origin=origin)
