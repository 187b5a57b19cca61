"""Which rules of `retrieve` help where they were not made: each group taken out alone, on published ToolTalk.

    python -m bench.ablate --data ../shared/tooltalk/data [--group NAME]... [--embedder SPEC]

A group is a table, a step, or a kind of finder; taken out, it is a constant that says nothing. Every change stands with
its paired 90 % interval (bootstrap over conversations, seeded). A group stays if that of one change lies on the wrong
side of 0, so that unseen conversations certainly need it; else it goes. The table's last row is all that go, together.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from toologue.bench.benchmark import benchmark, play
from toologue.models.similarity import TextMatch

SHARES = {
    "success": ("success", "conversations", 1),
    "precision": ("matches", "predictions", 1),
    "recall": ("matches", "ground_truths", 1),
    "incorrect": ("bad_actions", "actions", -1),
}
"""Share → what is counted, of what, and whether more is better (1) or worse (-1)."""
_SAMPLES, _SEED, _TAIL = 10_000, 0, 5
_NEVER = re.compile("(?!)")


def _nothing(*_: Any, **__: Any) -> list[Any]:
    return []


def _false(*_: Any, **__: Any) -> bool:
    return False


def _none(*_: Any, **__: Any) -> None:
    return None


def _first(one: Any, *_: Any) -> Any:
    return one


def _plain(scene: Any, want: Any) -> Any:
    from toologue.text.spans import quoted, whole_text
    return quoted(scene, want, 0.9) or whole_text(scene, want, 0.3)

def _texts(scene, want):
    from toologue.text import find_phrases
    return find_phrases.texts(scene, want)

A, F, C, P = "toologue.agents.retrieve.", "toologue.text.find:", "toologue.text.find_codes:", "toologue.text.find_phrases:"
NEVER=[(_NEVER,.5)]
GROUPS: Mapping[str, Mapping[str, Any]] = {
    "titles": {F + "_FINDERS.title": _plain},
    "tasks": {F + "_FINDERS.task": _plain},
    "messages": {F + "_FINDERS.message": _plain},
    "queries": {F + "_FINDERS.query": _plain},
    "texts": {F + "_FINDERS.text": _plain},
    "titles..texts": {F + f"_FINDERS.{k}": _plain for k in ("title","task","message","query","text")},
    "all phrases": {F + f"_FINDERS.{k}": _plain for k in ("title","task","message","query","text","place","person")},
    "all phrases and crowd": {P+"crowd": _nothing, **{F + f"_FINDERS.{k}": _plain for k in ("title","task","message","query","text","place","person")}},
    "places, people": {F + "_FINDERS.place": _plain, F + "_FINDERS.person": _plain},
    "places, people as texts": {F + "_FINDERS.place": _texts, F + "_FINDERS.person": _texts},
    "places": {F + "_FINDERS.place": _plain},
    "people": {F + "_FINDERS.person": _plain},
    "place cues": {P + "_PLACES": (), P+"_VENUE": _NEVER, P+"_FROM_TO": _NEVER},
    "people cues": {P + "_PEOPLE": ()},
    "venue": {P+"_VENUE": _NEVER},
    "fromto": {P+"_FROM_TO": _NEVER},
    "crowd": {P+"crowd": _nothing},
    "usernames cues": {C+"_USERNAMES": ()},
    "usernames 4": {C+"_BEFORE_A_SECRET": _NEVER, C+"_I_AM": _NEVER},
    "passwords": {F+"_FINDERS.password": _plain},
    "passwords changed": {C+"_changed": _nothing},
    "passwords odd": {C+"_LIKE_A_SECRET": _NEVER, C+"_JOINED": _NEVER, C+"_AS_PASSWORD": _NEVER},
    "ids cue": {C+"_CUED_ID": _NEVER},
    "codes": {F+"_FINDERS.code": _plain},
    "rows: all": {F+"refer": _nothing},
    "rows: words": {F+"_by_words": _none},
    "rows: time": {F+"_by_time": _none},
    "rows: placed": {F+"_placed": lambda *_: {}},
    "rows: pronoun": {F+"_by_pronoun": _nothing},
    "rows: nearly": {F+"_nearly": lambda *_: ""},
    "mentions": {F+"_mentions": _nothing},
    "nudged": {F+"_nudged": lambda scene, one, want: one},
    "crowds": {F+"_crowds": _nothing},
    "split": {F+"_split": _none},
    "topic am/pm": {"toologue.text.time_expressions:topic_of": lambda *_: ""},
    "lent day": {"toologue.text.time_expressions:_lent_a_day": lambda w, d: w},
    "evidence terms": {A+"evidence:_TERMS": 0},
    "evidence question": {A+"evidence:_QUESTION": 0},
    "evidence topic": {A+"evidence:_TOPIC": 0, A+"evidence:_TOPIC_ALONE": 0},
    "evidence deeds": {A+"evidence:_agreement": lambda *_: 0},
    "evidence asked deed": {A+"evidence:_ASKED_DEED": 0},
    "evidence only times": {A+"evidence:only_times": _false},
    "synonyms": {A+"lexicon:_things": lambda: ()},
    "clauses": {A+"segment:clauses": lambda text: (text,) if text.strip() else ()},
    "joints": {A+"history:_JOINT": _NEVER},
    "values speak": {A+"segment:_values": lambda *_: 0.0},
    "joined": {A+"segment:_joined": list},
    "replaced": {A+"segment:_replaced": lambda w, *_: [w]},
    "listed": {A+"filling:listed": _nothing},
    "alike": {A+"filling:alike": lambda *_: ()},
    "implied": {A+"filling:implied": _none},
    "ended": {A+"filling:ended": lambda *_: {}},
    "searched": {A+"filling:searched": lambda form, chosen, told: chosen},
    "derive all": {A+"filling:implied": _none, A+"filling:ended": lambda *_: {}, A+"filling:searched": lambda form, chosen, told: chosen},
    "derive ended+searched": {A+"filling:ended": lambda *_: {}, A+"filling:searched": lambda form, chosen, told: chosen},
    "keywords": {A+"derive:keywords": lambda *_: ""},
    "halved": {A+"finding:_halved": lambda *_: ""},
    "says nothing": {A+"finding:_says_nothing": _false},
    "spoken of": {A+"finding:_spoken_of": _nothing},
    "referred": {A+"finding:referred": _nothing},
    "lasting": {A+"forms:_LASTING": frozenset()},
    "lead": {A+"finding:_lead": lambda: _NEVER},
    "whole answer": {A+"finding:_WHOLE": {}, A+"finding:_WHOLE_FREE": 0},
    "answers": {A+"finding:_asked_for": lambda *_: ""},
    "taken back": {A+"history:_taken_back": _false, A+"history:_refused": _false},
    "leaves": {A+"history:Heard.only_leaves": False, A+"history:Heard.leaves": False},
    "look up": {A+"deciding:_look_up": _none},
    "confirmation": {A+"deciding:_confirmation": _none},
    "reopened": {A+"deciding:_answered": _false},
    "replies": {A+"segment:Wish.replies": False},
    "changed rows": {A+"results:_after": lambda rows, given, gone: rows},
    "created rows": {A+"results:deed_of": _none},
    "known options": {A+"filling:_known": lambda *_: ()},
    "share words": {A+"choosing:_share_words": _false},
    "elsewhere": {A+"deciding:Mind.told": None},
    "facts least": {A+"finding:_MAY": 0.45},
}
del GROUPS["elsewhere"]


class Played(NamedTuple):
    """By conversation, its counts."""

    counts: list[Mapping[str, float]]


def take_out(group: Mapping[str, Any]) -> None:
    for place, value in group.items():
        module, _, path = place.partition(":")
        owner = import_module(module)
        *outer, last = path.split(".")
        for name in outer:
            owner = getattr(owner, name)
        if isinstance(owner, dict):
            assert last in owner, place
            owner[last] = value
        else:
            assert hasattr(owner, last), place
            setattr(owner, last, value)


def played(data, embedder: str, out: Sequence[str]):
    import toologue.agents.retrieve
    for name in out:
        take_out(GROUPS[name])
    chosen = benchmark("tooltalk")
    golds = chosen.load(data)
    graded = play(chosen, golds, f"retrieve:{embedder}", TextMatch.of(embedder))
    rows = [{**one.record["metrics"], "conversations": 1, "split": one.gold.origin.get("split")} for one in graded]
    return rows

def shares(rows, W):
    out = {}
    for name, (top, bottom, sign) in SHARES.items():
        a = np.array([r[top] for r in rows], float); b = np.array([r[bottom] for r in rows], float)
        out[name] = (W@a)/np.maximum(W@b,1)
    return out

def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", type=Path); p.add_argument("--group", action="append"); p.add_argument("--embedder", default="lexical")
    o = p.parse_args()
    names = o.group or list(GROUPS)
    import os, sys
    base = None
    def one(out):
        r, w = os.pipe()
        pid = os.fork()
        if pid == 0:
            import json
            try:
                rows = played(o.data, o.embedder, out)
                os.write(w, json.dumps(rows).encode())
            except BaseException as e:
                print("FAIL", out, repr(e)[:200])
            os._exit(0)
        os.close(w)
        b = b""
        while chunk := os.read(r, 65536): b += chunk
        os.waitpid(pid, 0); os.close(r)
        import json
        return json.loads(b) if b else None
    base = one([])
    n = len(base)
    rng = np.random.default_rng(0)
    W = rng.multinomial(n, np.full(n, 1/n), 10000).astype(float)
    ones = np.ones((1, n))
    b0, bW = shares(base, ones), shares(base, W)
    print("base", {k: round(float(v[0])*100,1) for k,v in b0.items()}, "easy ok", sum(r["success"] for r in base if r["split"]=="easy"))
    goes = []
    def show(name, rows):
        x0, xW = shares(rows, ones), shares(rows, W)
        verdict = "goes"; cells=[]
        for k,(t,bt,sign) in SHARES.items():
            d = 100*(x0[k]-b0[k])[0]; lo,hi = np.percentile(100*(xW[k]-bW[k]),[5,95])
            bad = hi<0 if sign==1 else lo>0
            if bad: verdict="STAYS"
            cells.append(f"{d:+5.1f} [{lo:+5.1f},{hi:+5.1f}]{'*' if bad else ' '}")
        print(f"{name:26} {'  '.join(cells)} {verdict}", flush=True)
        return verdict
    for name in names:
        rows = one(name.split("+") if "+" in name and name not in GROUPS else [name])
        if rows is None: continue
        if show(name, rows) == "goes": goes.append(name)
    if not o.group:
        rows = one(goes)
        show("ALL GO", rows)
main()
