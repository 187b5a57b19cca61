"""Answers of the endpoint, which are chat completions, in the words of the other formats: who asks says by its path.

/v1/chat/completions             as they are
/v1/responses                    OpenAI's Responses
/v1/messages                     Anthropic's messages, streamed where that is asked for
/v1beta/models/N:generateContent Google's
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

TYPES = {400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error",
         404: "not_found_error", 429: "rate_limit_error", 500: "api_error", 529: "overloaded_error"}  # fmt: skip
STATUSES = {400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED",
            500: "INTERNAL", 503: "UNAVAILABLE"}  # fmt: skip
TOO_LONG = {
    "messages": "prompt is too long: 250000 tokens > 200000 maximum",
    "google": "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).",
}
EXPIRED = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]


def translated(path: str, asked: dict[str, Any], status: int, body: Any) -> tuple[int, Any, str]:
    """Status, body and content type of a chat completion, or of an error, where another format is spoken."""
    path = path.partition("?")[0]
    known = isinstance(body, dict) and ("choices" in body or status >= 400)
    if path.endswith("/chat/completions") or not known:
        return status, body, "application/json"
    if path.endswith("/responses"):
        return status, _response(body) if status < 400 else body, "application/json"
    if path.endswith("/messages"):
        if status >= 400:
            return status, _anthropic_error(status, body["error"]), "application/json"
        events = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in _events(body))
        return (
            (200, events.encode(), "text/event-stream")
            if asked.get("stream")
            else (200, _message(body), "application/json")
        )
    if status < 400:
        return status, _candidates(body), "application/json"
    return _google_error(status, body["error"])


def _parts(body: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]], str, dict[str, int]]:
    choice = body["choices"][0]
    calls = [call["function"] for call in choice["message"].get("tool_calls") or ()]
    return choice["message"], calls, choice["finish_reason"], body.get("usage") or {}


def _response(body: dict[str, Any]) -> dict[str, Any]:
    message, calls, finish, usage = _parts(body)
    output: list[dict[str, Any]] = []
    if thought := message.get("reasoning_content"):
        output.append({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": thought}]})
    said = [{"type": "output_text", "text": message["content"], "annotations": []}] if message.get("content") else []
    said += [{"type": "refusal", "refusal": message["refusal"]}] if message.get("refusal") else []
    if said:
        output.append({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": said})
    output += [
        {"type": "function_call", "id": f"fc_{n}", "call_id": f"theirs_{n}", "status": "completed", **call}
        for n, call in enumerate(calls)
    ]
    why = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(finish)
    return {
        "id": "resp_1", "object": "response", "created_at": 1736000000, "model": body["model"], "output": output,
        "status": "incomplete" if why else "completed", "incomplete_details": {"reason": why} if why else None,
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        **({"usage": {
            "input_tokens": usage["prompt_tokens"], "output_tokens": usage["completion_tokens"],
            "total_tokens": usage["total_tokens"],
            "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
        }} if usage else {}),
    }  # fmt: skip


def _message(body: dict[str, Any]) -> dict[str, Any]:
    message, calls, finish, usage = _parts(body)
    content: list[dict[str, Any]] = []
    if thought := message.get("reasoning_content"):
        content.append({"type": "thinking", "thinking": thought, "signature": "x"})
    if message.get("content"):
        content.append({"type": "text", "text": message["content"]})
    content += [
        {"type": "tool_use", "id": f"theirs_{n}", "name": call["name"], "input": call["arguments"]}
        for n, call in enumerate(calls)
    ]
    stops = {"length": "max_tokens", "content_filter": "refusal", "tool_calls": "tool_use", "stop": "end_turn"}
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": content,
        "stop_reason": "refusal" if message.get("refusal") else stops.get(finish, finish), "stop_sequence": None,
        "usage": {"input_tokens": usage.get("prompt_tokens", 0), "output_tokens": usage.get("completion_tokens", 0)},
    }  # fmt: skip


def _events(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    whole = _message(body)
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(whole["content"]):
        empty = {"text": {"text": ""}, "tool_use": {"input": {}}, "thinking": {"thinking": "", "signature": ""}}
        yield {"type": "content_block_start", "index": index, "content_block": {**block, **empty[block["type"]]}}
        deltas = {
            "text": {"type": "text_delta", "text": block.get("text")},
            "thinking": {"type": "thinking_delta", "thinking": block.get("thinking")},
            "tool_use": {"type": "input_json_delta", "partial_json": block.get("input")},
        }
        yield {"type": "content_block_delta", "index": index, "delta": deltas[block["type"]]}
        yield {"type": "content_block_stop", "index": index}
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": whole["usage"]["output_tokens"]}}
    yield {"type": "message_stop"}


def _candidates(body: dict[str, Any]) -> dict[str, Any]:
    message, calls, finish, usage = _parts(body)
    parts: list[dict[str, Any]] = []
    if thought := message.get("reasoning_content"):
        parts.append({"text": thought, "thought": True})
    if message.get("content"):
        parts.append({"text": message["content"]})
    parts += [{"functionCall": {"name": call["name"], "args": _json_or_text(call["arguments"])}} for call in calls]
    finishes = {"length": "MAX_TOKENS", "content_filter": "SAFETY"}
    why = (
        "SAFETY"
        if message.get("refusal")
        else finishes.get(finish, "STOP" if finish in ("stop", "tool_calls") else "OTHER")
    )
    counted = {"promptTokenCount": usage["prompt_tokens"], "candidatesTokenCount": usage["completion_tokens"],
               "totalTokenCount": usage["total_tokens"]} if usage else None  # fmt: skip
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": why, "index": 0}],
        **({"usageMetadata": counted} if counted else {}), "modelVersion": body["model"], "responseId": "r1",
    }  # fmt: skip


def _json_or_text(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _anthropic_error(status: int, error: dict[str, Any]) -> dict[str, Any]:
    long = error.get("code") == "context_length_exceeded"
    message = TOO_LONG["messages"] if long else error["message"]
    kind = "billing_error" if error.get("code") == "insufficient_quota" else TYPES.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": message}}


def _google_error(status: int, error: dict[str, Any]) -> tuple[int, Any, str]:
    """Google says 400 to a key that it does not take, and that a budget is used up like that of a day."""
    if status == 401:
        told = {"message": f"API key expired. {error['message']}", "status": "INVALID_ARGUMENT", "details": EXPIRED}
        return 400, {"error": {"code": 400, **told}}, "application/json"
    told = {"message": error["message"], "status": STATUSES.get(status, "UNKNOWN")}
    if error.get("code") == "context_length_exceeded":
        told["message"] = TOO_LONG["google"]
    more: dict[str, Any] = {}
    if error.get("code") == "insufficient_quota":
        violations = [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]
        more = {"details": [{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": violations}]}
    return status, {"error": {"code": status, **told, **more}}, "application/json"
