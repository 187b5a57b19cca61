"""Conversations in Dialog2API's XML, as others would give them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape

from toologue.schema import Dialogue


def conversations_xml(dialogues: Iterable[Dialogue]) -> str:
    """Conversations as one document."""
    return "\n".join(["<conversations>", *map(_conversation, dialogues), "</conversations>", ""])


def _conversation(dialogue: Dialogue) -> str:
    initial = dialogue.extra.get("initial_signature")
    lines = [f'<conversation uid="{escape(dialogue.id)}">', "<metadata>"]
    lines += [f"<initial_signature>{initial}</initial_signature>"] if initial else []
    lines += ["</metadata>", "<turns>"]
    for turn in dialogue.turns:
        acts, signed = (turn.acts, turn.extra.get("signatures")) if turn.role == "agent" else ((), None)
        for at, act in enumerate(acts):
            assert act.kind == "program"
            lines += [f'<goal uid="{escape(act.goal)}" status="{act.status}">']
            lines += [f"<program>\n{escape(act.code, quote=False)}\n</program>"] if act.code else []
            result = turn.results[at] if turn.role == "agent" and turn.results else None
            if result is not None:
                error = result.error and {"error": result.error.type, "message": result.error.message}
                lines += [f"<result>{escape(json.dumps(result.value), quote=False)}</result>"]
                lines += [f"<error>{escape(json.dumps(error), quote=False) if error else ''}</error>"]
            signature = signed[at] if isinstance(signed, list) else None
            lines += [f"<signature>{signature}</signature>"] if signature else []
            lines += ["</goal>"]
        if turn.role == "user" or turn.text is not None:
            lines.append(f"<turn>{turn.role.capitalize()}: {escape(turn.text or '', quote=False)}</turn>")
    return "\n".join([*lines, "</turns>", "</conversation>"])
