"""A model that does what the prompt of `talm` says, to the letter, and knows nothing else.

All that it goes by is read from the request: the rules from the system message (a rule that is not told there is not
followed), documents, scores, results and words from the conversation. What it does not do is understand English, so
that users speak plainly to it: `plainly` puts what they tell in place of how they say it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from toologue.models.model import Asked
from toologue.schema import Dialogue, UserTurn
from toologue.verify.chains.states import distinct_values, values_in_rows

_PLAIN = {"affirm": "Yes.", "negate": "No.", "user_bye": "That is all. Goodbye.", "fail_inform": "Not known. "}
_OUTPUT = re.compile(r"Output to procure input parameter (.+?) of (.+): (.+)")


def plainly(gold: Dialogue) -> Dialogue:
    """The dialogue in which users say what they tell, and nothing around it."""

    def said(turn: UserTurn) -> str:
        if turn.action in ("affirm", "negate", "user_bye"):
            return _PLAIN[turn.action]
        kind = "Wish: " if (turn.action or "").startswith("inform_intent") else ""
        return f"{_PLAIN.get(turn.action or '', '')}{kind}{json.dumps(turn.informed, ensure_ascii=False)}"

    return gold.replace(turns=tuple(t.replace(text=said(t)) if t.role == "user" else t for t in gold.turns))


def follow(asked: Asked) -> str:
    """The answer to a request."""
    system, user = (message["content"] for message in asked.messages)
    return _Follower(system).answer(user)


class _Follower:
    def __init__(self, system: str):
        self.system = system
        self.documents: dict[str, Any] = {}
        self.scores: dict[str, float] = {}
        self.known: dict[str, dict[str, Any]] = {}
        self.target = self.source = ""
        self.outputs: dict[str, str] = {}  # what the source finds, by the target's parameter
        self.found: Any = None
        self.choosing = self.answered = False
        self.wished: dict[str, Any] = {}
        self.early: dict[str, Any] = {}  # what the user told of an API that was not found yet
        self.last = ""

    def rule(self, pattern: str) -> str:
        """What the rules say at a place; nothing where they do not say it."""
        found = re.search(pattern, self.system)
        return found[1] if found and found.groups() else found[0] if found else ""

    def answer(self, conversation: str) -> str:
        for line in conversation.split("\n"):
            if line.startswith("User: "):
                self.hear(line.removeprefix("User: "))
            elif line.startswith("- Observation: "):
                self.see(json.loads(line.removeprefix("- Observation: ")))
        action = self.action()
        state = json.dumps(self.state(action), ensure_ascii=False)
        if self.rule("Answer with the state, as one JSON object"):
            return state
        if self.rule("Answer with the name of one action"):
            return action
        lines = ["Thought: By the rules.", f"Action: {action}", f"Dialogue State: {state}"]
        lines += [] if action in ("call", "retriever_call") else ["Message: As the rules say."]
        return "\n".join(f"- {line}" for line in lines)

    # ---- what happened

    def hear(self, words: str) -> None:
        self.last = words
        if words == _PLAIN["affirm"] and self.rule("once the user has agreed to it"):
            self.settle(max(self.scores, key=self.scores.__getitem__))
        if "{" not in words:
            return
        values = json.loads(words[words.index("{") :])
        if words.startswith("Wish: "):
            self.wished = values
            return
        hand, slots = self.hand, self.slots(self.hand)
        picks: dict[str, Any] = {
            n: v for n, v in values.items() if self.choosing and (n in self.outputs or n not in slots)
        }
        self.early = {} if slots.keys() >= values.keys() else values
        self.known[hand] |= {name: value for name, value in values.items() if name not in picks and name in slots}
        if picks:
            main = next(iter(self.outputs.values()))
            chosen = values_in_rows(
                self.found, main, {self.outputs.get(name, name): one for name, one in picks.items()}
            )
            self.hand_over(chosen[0])

    def see(self, seen: Mapping[str, Any]) -> None:
        self.last = ""
        for document in seen.get("api_documentation", ()):
            self.documents[document["api_name"]] = document
        if "call_result" in seen:
            self.returned(seen["call_result"])
        elif isinstance(found := seen["retriever_status"]["retrieved_api"], list):
            self.source, *told = cast("list[str]", found)
            read = [match for one in told if (match := _OUTPUT.fullmatch(one))]
            self.outputs = {match[1]: match[3].replace("->", "|") for match in read}
            self.begin(self.source)
            if self.rule("also before the API that takes it was found"):
                missing = self.slots(self.source).keys() - self.slots(self.target).keys()
                self.known[self.source] |= {name: one for name, one in self.early.items() if name in missing}
        else:
            self.scores = found
            best = max(found, key=found.__getitem__, default="")
            if best and found[best] >= float(self.rule(r"its score is at least ([\d.]+),")):
                self.settle(best)

    def returned(self, result: Any) -> None:
        if not self.source or self.found is not None:
            self.answered = True
            return
        self.found = result
        values = distinct_values(result, next(iter(self.outputs.values())))
        self.choosing = len(values) > 1 and bool(self.rule("the parameter is open until the user has chosen"))
        if not self.choosing:
            self.hand_over(values[0])

    def hand_over(self, value: Any) -> None:
        (parameter, output), *along = self.outputs.items()
        self.known[self.target][parameter] = value
        for name, other in along if self.rule("their values are of one row") else ():
            self.known[self.target][name] = values_in_rows(self.found, other, {output: value})[0]
        self.choosing = False

    def settle(self, api: str) -> None:
        self.target = api
        self.begin(api)
        self.known[api] |= {name: value for name, value in self.wished.items() if name in self.slots(api)}

    def begin(self, api: str) -> None:
        told = self.slots(api).items() if self.rule('A parameter with a "value" in its document has that value') else ()
        self.known.setdefault(api, {name: one["value"] for name, one in told if "value" in one})

    # ---- what is known

    @property
    def hand(self) -> str:
        return self.source if self.source and self.found is None else self.target

    def slots(self, api: str, *kinds: str) -> dict[str, Any]:
        document = self.documents.get(api, {})
        return {
            one["input_parameter_name"]: one
            for kind in kinds or ("required", "optional")
            for one in document.get(f"{kind}_parameters", ())
        }

    def open(self) -> bool:
        kinds = ("required", "optional") if self.rule("is asked for, required or optional") else ("required",)
        return self.choosing or any(name not in self.known[self.hand] for name in self.slots(self.hand, *kinds))

    def action(self) -> str:
        if self.last == _PLAIN["user_bye"]:
            return "system_bye"
        if self.last == _PLAIN["negate"]:
            return "response_fail"
        if self.last.startswith(("Wish: ", _PLAIN["fail_inform"])):
            return "retriever_call"
        if not self.target:
            offers = max(self.scores.values(), default=0) >= float(self.rule(r"best score is below ([\d.]+)\.\n"))
            return "suggest" if offers else "clarify"
        return "response" if self.answered else "request" if self.open() else "call"

    def state(self, action: str) -> dict[str, Any]:
        never = self.rule(r"never with these actions: (.+?)\. ").split(", ")
        if not self.hand or action in never:
            return {"api_confirmed": "false", "api_status": "none"}
        known = self.known[self.hand]
        slots = {
            f"{kind}_parameters": {name: known.get(name, "") for name in self.slots(self.hand, kind)}
            for kind in ("required", "optional")
        }
        return {"api_confirmed": "true", "api_status": {"api_name": self.hand, **slots}}
