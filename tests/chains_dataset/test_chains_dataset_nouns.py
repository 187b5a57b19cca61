"""A document about things of any kind gives chains: what no list knows is called by its noun."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from toologue.errors import BadSetting
from toologue.formats.training import exported
from toologue.project.chains import ChainMaking, make_chains
from toologue.schema import Api, Dialogue
from toologue.schema.jsonl import read
from toologue.text.names import kind_named
from toologue.text.tokens import plural

PAGE = (Path(__file__).parents[2] / "docs/chains.md").read_text("utf-8")
HOTELS = re.findall(r"```yaml\n(openapi: .*?)```", PAGE, re.DOTALL)[0]
NOUNS = ("hut", "museum", "trail", "beach", "library", "cottage", "hostel", "lodge", "vineyard", "yurt")
MAKING = ChainMaking(6, ratio=(1.0, 0.0, 0.0))


def document(noun: str, folder: Path) -> Path:
    many = plural(noun)
    text = HOTELS.replace("Hotels", many.title()).replace("hotels", many)
    file = folder / f"{noun}.yaml"
    file.write_text(text.replace("Hotel", noun.title()).replace("hotel", noun), "utf-8")
    return file


@pytest.mark.parametrize("noun", NOUNS)
def test_any_noun_gives_the_conversations_of_the_page(noun: str, tmp_path: Path) -> None:
    assert not kind_named(noun)
    assert make_chains([document(noun, tmp_path)], tmp_path / "chains", MAKING).dialogues == 6
    made = [*read(tmp_path / "chains/dialogues.jsonl", Dialogue)]
    said = [turn.text or "" for one in made if one.origin.get("source") for turn in one.turns]
    assert any(re.search(rf"[A-Z]\w+ {noun.title()}\b", text) for text in said)
    assert any(f"the rating of a {noun}" in text for text in said)


def test_details_may_say_the_name_again(tmp_path: Path) -> None:
    file = document("hut", tmp_path)
    told = "properties: {hutId: {type: integer}, hutName: {type: string}, founder"
    file.write_text(file.read_text("utf-8").replace("properties: {founder", told), "utf-8")
    made = make_chains([file], tmp_path / "chains", MAKING)
    assert (made.pairs, made.dialogues) == (1, 6)


def test_things_are_called_as_documents_show_before_they_are_called_by_their_noun(tmp_path: Path) -> None:
    file = document("hut", tmp_path)
    named = "hutName: {type: string, example: Vernagthütte}"
    file.write_text(file.read_text("utf-8").replace("hutName: {type: string}", named), "utf-8")
    make_chains([file], tmp_path / "chains", MAKING)
    assert "Vernagthütte" in (tmp_path / "chains/dialogues.jsonl").read_text("utf-8")


def test_who_has_nothing_to_talk_about_is_told_of_which_api_and_what_helps(tmp_path: Path) -> None:
    file = document("hut", tmp_path)
    file.write_text(file.read_text("utf-8").replace("hutName", "hutCode"), "utf-8")
    with pytest.raises(BadSetting) as raised:
        make_chains([file], tmp_path / "chains", MAKING)
    line = "search_huts → get_hut_details: nothing to choose by: return a name in each row"
    assert line in [one.strip() for one in str(raised.value).splitlines()]


def test_no_key_of_a_document_gets_into_a_dataset(tmp_path: Path) -> None:
    file, key, token = document("hut", tmp_path), "8f3kq0zz71", "ghp_" + "a1B2" * 9
    more = f"""        - {{name: signature, in: query, required: false, schema: {{type: string, default: {key}}}}}
        - {{name: note, in: query, required: false, schema: {{type: string, example: {token}}}}}
      responses:"""
    file.write_text(file.read_text("utf-8").replace("      responses:", more, 1), "utf-8")
    make_chains([file], tmp_path / "chains", MAKING)
    written = "".join((tmp_path / "chains" / name).read_text("utf-8") for name in ("apis.jsonl", "dialogues.jsonl"))
    assert "signature" in written
    assert key not in written
    assert token not in written


def test_no_key_of_a_document_gets_into_an_export(tmp_path: Path) -> None:
    make_chains([document("hut", tmp_path)], tmp_path / "chains", MAKING)
    one = next(iter(read(tmp_path / "chains/dialogues.jsonl", Dialogue)))
    apis = {api.name: api for api in read(tmp_path / "chains/apis.jsonl", Api)}
    secret = {"schema": {"type": "string", "default": "8f3kq0zz71"}, "required": False}
    plain = {name: api.model_dump(mode="json", by_alias=True) for name, api in apis.items()}
    keyed = {name: Api.model_validate({**api, "parameters": {**api["parameters"], "token": secret}})
             for name, api in plain.items()}  # fmt: skip
    row = json.dumps(exported(one, "openai", keyed))
    assert '"token"' in row
    assert "8f3kq0zz71" not in row
