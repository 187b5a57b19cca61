"""The words of one conversation of the chains line, turn by turn; `ChainWriter`, which needs no model.

Styles and phrases follow the plan's number, so that dialogues of one pair differ from their first word. What is costly
(queries and the retriever's answers) is made once for each pair, band and variant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, cast

from pydantic import JsonValue

from toologue import keys
from toologue.errors import BadSetting, shown
from toologue.models.embed import Embedder
from toologue.models.index import Index
from toologue.models.retriever import Band
from toologue.schema import AgentTurn, Api, Cue, Dialogue, Plan, Result, Retrieve, Turn, UserTurn
from toologue.text.names import kind_of
from toologue.worlds.documented.arguments import settled
from toologue.write.chains.bank import STYLES, Bank, BankName, Voice
from toologue.write.chains.bank import bank as bank_of
from toologue.write.chains.intents import intent_of
from toologue.write.chains.names import Answer, Name, answer, clause, listed, output, parameters, value_text
from toologue.write.chains.queries import Asked, Given, Queries, Unworded
from toologue.write.chains.words import joined, split, wordset

# So many ways one pair's dialogues open in one band.
VARIANTS = 10

_KEPT = 4096
_LOOKS = ("look up", "find", "get", "check", "look for")
_NUMBERED = re.compile(r"(.*?)(\d{0,9})", re.DOTALL)
_DULL = re.compile(
    r"\b(?:page|number of|position|order|format|language|field|fields|cursor|token|setting|units?|term|keyword|text|URL"
    r"|type)\b"
)
_YES_OR_NO = re.compile(r"(?:^|[.!?,:] )(?:could|can|may|would) (?:you|I) (?!mind|prefer)[^.?!:]*\?$", re.IGNORECASE)
# What a sentence begins with that needs no yes before it.
_OPENS = re.compile(
    r"(?:Oh|OK|Okay|Right|Here|Let|One moment|Quickly|All right|Hang|I|My|Good|As|To|That|So|Just|Now)\b"
)


class SharedState:
    """What all conversations share: queries, the bank, the seed, and what was made of them before."""

    def __init__(self, queries: Queries, bank: Bank, seed: int):
        self.queries, self.bank, self.seed = queries, bank, seed
        self._asked: dict[tuple[Any, ...], Asked | Unworded] = {}
        self._names: dict[str, dict[str, Name]] = {}

    def names(self, api: Api) -> dict[str, Name]:
        """An Api's parameters, as people call them."""
        if api.name not in self._names:
            self._names[api.name] = parameters(api)
        return self._names[api.name]

    def once(self, key: tuple[Any, ...], make: Callable[[], Asked]) -> Asked:
        """What was asked under this key, made if it was not yet. Raises Unworded, again and again."""
        found = self._asked.get(key)
        if found is None:
            if len(self._asked) >= _KEPT:
                self._asked.clear()
            try:
                found = make()
            except Unworded as reason:
                found = reason
            self._asked[key] = found
        if isinstance(found, Unworded):
            raise found
        return found


class Realizer:
    """One conversation. `user` and `agent` are its voices."""

    def __init__(self, desk: SharedState, plan: Plan):
        self._desk, self._plan = desk, plan
        origin, id = plan.dialogue.origin, plan.dialogue.id
        self._pair = f"{origin.get('source')}|{origin.get('target')}"
        self._along: list[str] = [*along] if isinstance(along := origin.get("along"), dict) else []
        number = int(cast("re.Match[str]", _NUMBERED.fullmatch(id))[2] or 0)
        place = keys.seed_of(desk.seed, self._pair) % 1009 + (number or keys.seed_of(id) % 1009)
        seed = keys.seed_of(desk.seed, id)
        users, agents = STYLES["user"], STYLES["agent"]
        self._variant = place % VARIANTS
        self.user = Voice(desk.bank, "user", users[place % len(users)], seed=seed)
        self.agent = Voice(desk.bank, "agent", agents[seed % len(agents)], seed=seed >> 8)
        self._asked: Asked | None = None
        self._request: Cue | None = None
        self._in_hand: str | None = None
        self._failed = self._found = False
        self._answer = _grouped_text(plan)
        self._by = next((by for turn in plan.dialogue.turns if isinstance(by := turn.extra.get("by"), str)), "")
        self._heard = ""
        self._owed = False
        self._aims = self._answer.aims if self._answer is not None else ()

    def turn(self, turn: UserTurn | AgentTurn, cue: Cue) -> UserTurn | AgentTurn:
        """A turn with its words. Raises BadSetting, UnknownName, Unworded."""
        if turn.role == "user":
            return turn.replace(text=self._user_says(cue))
        if cue.move == "call":
            self._found = self._failed
            return turn
        if cue.move == "retriever_call":
            return self._retrieved(turn)
        self._heard = self._agent_says(cue, turn)
        return turn.replace(text=self._heard)

    def _user_says(self, cue: Cue) -> str:
        match cue.move:
            case "inform_intent_clear" | "inform_intent_clear_add":
                return self._clear(cue)
            case "inform_intent_vague":
                return self._vague(cue)
            case "inform":
                return self._inform(cue)
            case "fail_inform":
                return self._fail(cue)
            case "affirm":
                return self._affirm()
            case "negate":
                return self.user("negate")
            case "user_bye":
                empty = self._answer is not None and self._answer.kind == "empty"
                return self.user("bye_empty" if empty else "bye")
            case _:
                raise BadSetting(f"{cue.move!r} is nothing that users do on the chains line")

    def _agent_says(self, cue: Cue, turn: AgentTurn) -> str:
        match cue.move:
            case "request":
                return self._ask(cue, turn)
            case "response":
                return self._respond(cue)
            case "clarify":
                topic = self._asked.topic if self._asked is not None else ""
                return self.agent("clarify", topic=topic) if topic else self.agent("clarify_blank")
            case "suggest":
                return self._suggest()
            case "response_fail" | "system_bye":
                return self.agent(cue.move)
            case _:
                raise BadSetting(f"{cue.move!r} is nothing that agents do on the chains line")

    # ---- acts

    def _retrieved(self, turn: AgentTurn) -> AgentTurn:
        """The question to the retriever with the user's words, and its answer."""
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

    def _clear(self, cue: Cue) -> str:
        api, again = self._target(), self._asked is not None
        given = self._added(api, cue) if cue.values else Given(aim=self._aim())
        return self._open(
            "confirm", given, again, lambda voice: self._desk.queries.clear(api, voice, given, again=again)
        )

    def _affirm(self) -> str:
        """Yes, and what it is that the user wants to know of it."""
        aim = self._aim()
        return " ".join(filter(None, (self.user("affirm"), aim and self.user("aim", names=aim))))

    def _aim(self) -> str:
        """What the answer will tell, as somebody asks for it."""
        return joined([name.the for name in self._aims])

    def _vague(self, cue: Cue) -> str:
        band = cue.before.get("band")
        if band not in ("suggest", "clarify"):
            raise BadSetting(f"a vague wish reaches the band suggest or clarify, not {shown(band)}")
        api, start, queries = self._target(), self._variant, self._desk.queries
        return self._open(band, None, False, lambda voice: queries.vague(api, cast("Band", band), voice, start=start))

    def _open(self, band: str, given: Given | None, again: bool, make: Callable[[Voice], Asked]) -> str:
        """A wish, made once for each pair, band and variant."""

        def made() -> Asked:
            seed = keys.seed_of(self._desk.seed, self._pair, band)
            return make(Voice(self._desk.bank, "user", self.user.style, seed=seed, start=self._variant))

        self._asked = self._desk.once((self._pair, band, self._variant, again, given), made)
        self._owed = band == "confirm" and (given is None or given.aim.lower() not in self._asked.text.lower())
        return self._asked.text

    def _at_hand(self) -> str:
        """What the user of a pair knows in place of the value: what finds it, what tells it from others."""
        source = self._plan.dialogue.origin.get("source")
        if not isinstance(source, str):
            return ""
        api = self._desk.queries.source(source)
        names = self._desk.names(api)
        calls = (act for turn in self._plan.dialogue.turns if turn.role == "agent" for act in turn.acts)
        made = (act for act in calls if act.kind == "call" and act.api == source)
        told = [name for act in made for name in act.arguments or () if name not in settled(api)]
        have = [names[name].the for name in told if name in names and not _DULL.search(names[name].words)]
        have = [] if any(_DULL.search(names[name].words) for name in told if api.parameters[name].required) else have
        sentences = [self.user("have", names=joined(have[:2]))] if have else []
        if self._by:
            sentences.append(self.user("know_it", names=_bare(output(self._by))))
        elif not told:
            here = wordset("here") & set(split(source.rpartition("|")[2]))
            sentences.append(self.user("where_i_am" if here else "any_one"))
        return " ".join(sentences)

    def _added(self, api: Api, cue: Cue) -> Given:
        (name, value), *_ = cue.values.items()
        return Given(self._name(api, name).one, value_text(value), self._aim())

    def _inform(self, cue: Cue) -> str:
        aim, self._owed = self._aim() if self._owed else "", False
        words = self._gives(cue)
        yes = self.user("assent") if _YES_OR_NO.search(self._heard) and not _OPENS.match(words) else ""
        return " ".join(filter(None, (yes, words, aim and self.user("aim", names=aim))))

    def _gives(self, cue: Cue) -> str:
        values = self._named(cue)
        if not values:
            raise BadSetting("an inform needs values")
        (name, value), *others = values
        if others:
            return self.user("inform", clause=clause(values), listed=listed(values))
        if self._request is not None and (options := _options(self._request)):
            return self.user(
                "choose_one" if all(map(_speaks, options[1])) else "choose_by", value=value_text(value), name=name.one
            )
        return self.user("inform_one", value=value_text(value), name=name.one)

    def _fail(self, cue: Cue) -> str:
        missing = cue.before.get("missing")
        if not isinstance(missing, str):
            raise BadSetting(
                f'a fail_inform says in before["missing"] what the user does not know, not {shown(missing)}'
            )
        name = self._lacking(missing).one
        if not cue.values:
            return " ".join(filter(None, (self.user("fail_nothing", missing=name), self._at_hand())))
        values = self._named(cue)
        return self.user("fail_rest", missing=name, clause=clause(values), listed=listed(values))

    # ---- the agent

    def _ask(self, cue: Cue, turn: AgentTurn) -> str:
        before, self._request = self._request, cue
        self._in_hand = turn.state.api if turn.state is not None else None
        if options := _options(cue):
            name, values = options
            shown_as = joined([value_text(one) for one in values], "or")
            kind = "choose" if all(map(_speaks, values)) else "choose_by"
            return self.agent(kind, options=shown_as, names=output(name).the)
        if not cue.values:
            raise BadSetting("a request needs the names of what it asks for, in `values`")
        api = self._desk.queries.source(self._in_hand or self._target().name)
        asked = [(self._name(api, name), api.parameters[name].required) for name in cue.values]
        always = self._failed and not self._found and not any(required for _, required in asked)
        needed = joined([name.the for name, required in asked if required or always])
        extra = joined([name.the for name, required in asked if not required and not always])
        lead = self._lead(turn) if before is not None else ""
        kind = "again" if lead else "request"
        parts = [lead, self.agent(kind, names=needed) if needed else ""]
        if extra:
            parts.append(self.agent("optional" if any(parts) else "request_optional", names=extra))
        return " ".join(filter(None, parts))

    def _lead(self, turn: AgentTurn) -> str:
        """What comes before a later request: that the missing value can be found, or that it was."""
        missing = self._plan.dialogue.origin.get("parameter")
        if not self._failed or not isinstance(missing, str):
            return ""
        name = self._lacking(missing).one
        state = turn.state
        slots = {**state.required, **state.optional} if state is not None else {}
        values = [slots.get(one, "") for one in (missing, *self._along)]
        if self._found:
            told = all(value not in ("", None) for value in values)
            return self.agent("found", missing=name, value=", ".join(map(value_text, values))) if told else ""
        return self.agent("look_up", missing=name)

    def _respond(self, cue: Cue) -> str:
        told = self._answer
        if told is None:
            raise BadSetting("a response follows the result of a call")
        match told.kind:
            case "empty":
                writes = self._target().writes
                return self.agent("respond_done" if writes else "respond_empty")
            case "one":
                return self.agent("respond_one", clause=told.clause)
            case "record":
                return self.agent("respond_record", clause=told.clause, listed=told.listed)
            case "list":
                counted = {"count": str(told.rows)} if told.rows else {}
                return self.agent("respond_list", items=told.listed, **counted)

    def _suggest(self) -> str:
        wish = intent_of(self._target())
        look = _LOOKS[keys.seed_of(self._plan.dialogue.id) % len(_LOOKS)]
        offer = f"{look} {wish.thing}" if wish.thing else wish.action
        return self.agent("suggest", offer=re.sub(r"\bmy\b", "your", offer))

    # ---- names

    def _target(self) -> Api:
        target = self._plan.dialogue.origin.get("target")
        if not isinstance(target, str):
            raise BadSetting(f'origin["target"] is the name of the Api that the user wants, not {shown(target)}')
        return self._desk.queries.api(target)

    def _lacking(self, missing: str) -> Name:
        """What the user does not know, as one thing: where it is, of a latitude and a longitude."""
        api = self._target()
        if {kind_of((name,)) for name in (missing, *self._along)} == {"place.lat", "place.lon"}:
            return Name("exact position")
        return Name(" or ".join(self._name(api, name).words for name in (missing, *self._along)))

    def _name(self, api: Api, parameter: str) -> Name:
        names = self._desk.names(api)
        if parameter not in names:
            raise BadSetting(f"{api.name!r} has no parameter {shown(parameter)}; it has {', '.join(names) or 'none'}")
        return names[parameter]

    def _named(self, cue: Cue) -> list[tuple[Name, JsonValue]]:
        """The values of a cue, each with its name: parameters of the Api in hand, or outputs to choose by."""
        names = self._desk.names(self._desk.queries.source(self._in_hand)) if self._in_hand else {}
        return [(names.get(name) or output(name), value) for name, value in cue.values.items()]


def _grouped_text(plan: Plan) -> Answer | None:
    """What the response says of the result before it; None where there is no response."""
    result: JsonValue = None
    known: list[JsonValue] = []
    for turn, cue in zip(plan.dialogue.turns, plan.cues, strict=True):
        if cue.move == "response":
            return answer(result, cue.values, about=known)
        if turn.role == "user":
            known += turn.informed.values()
        elif cue.move == "call" and turn.results and turn.results[0] is not None:
            result = turn.results[0].value
    return None


def _bare(name: Name) -> str:
    """A thing that goes by a name: of `the tournament name` the tournament."""
    *owner, last = name.words.split()
    if not owner or last not in ("name", "title"):
        return name.the
    return f"the {' '.join(owner)}{' team' if owner[-1] in ('home', 'away') else ''}"


def _options(cue: Cue) -> tuple[str, list[JsonValue]] | None:
    """The output to choose by and its values, where a request has the user choose."""
    return next(((name, value) for name, value in cue.values.items() if isinstance(value, list) and value), None)


def _speaks(value: JsonValue) -> bool:
    """Whether a value says by itself what it is: a name does, a number or a score does not."""
    return isinstance(value, str) and sum(char.isalpha() for char in value) > 2


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
    ):
        self._desk = SharedState(Queries(apis, embedder, bands=bands, index=index), bank_of(bank), seed)

    def check(self, api: str, actions: Collection[str] = ()) -> None:
        """Raises Unworded where nobody would ask for this Api, or not in a conversation of these actions."""
        self._desk.queries.check(api, actions)

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
