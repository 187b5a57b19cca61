"""Documents of what a procedure calls, from the procedure alone."""

from __future__ import annotations

import re

import pytest

from toologue.apis.extracted import extracted
from toologue.apis.load import apis_of
from toologue.formats.procedure import examine, read, write
from toologue.plan.procedures import procedure, procedures
from toologue.plan.procedures.plan_dialogue import plan_all
from toologue.plan.procedures.service import mocked, service
from toologue.schema import Procedure
from toologue.verify.procedures import verify
from toologue.write.procedures import TemplateWriter

REPAIR = """# A repair
1. **Ask** for the e-mail address and the day. Collect `email` and `seen_on`.
2. **Call** `find_device` with `email`, `seen_on` and `limit = 1`, giving `found`.
   - If it fails with `not_found`: go to 5.
   - If `len(found.devices) == 0`: go to 5.
   - If `found.devices[0].warranty.ends == null or found.devices[0].price * 2 > 100`: go to 4.
   - If `days_since(found.devices[0].bought) <= 730`: go to 3.
   - If `found.devices[0].serviced + "52 weeks" < today`: go to 4.
   - Otherwise: go to 5.
3. **Call** `open_repair` with `device_id = found.devices[0].id` and `reason = "broken"`, giving `job`. Go to 4.
4. **Call** `open_repair` with `device_id = found.devices[0].id`, `reason = "too_loud"` and `express = true`. Go to 5.
5. **End**: say that we are sorry.
"""


@pytest.fixture(scope="module")
def apis():
    return {api.name: api for api in extracted(read(REPAIR))}


def test_parameters_are_what_steps_give_and_required_where_every_step_gives_them(apis):
    assert list(apis) == ["find_device", "open_repair"]
    assert apis["open_repair"].required == ("device_id", "reason")
    assert apis["open_repair"].parameters["reason"].json_schema["enum"] == ["broken", "too_loud"]
    assert apis["open_repair"].parameters["express"].json_schema["type"] == "boolean"
    assert apis["find_device"].parameters["email"].json_schema["format"] == "email"
    assert apis["find_device"].parameters["seen_on"].json_schema["format"] == "date"
    assert apis["find_device"].parameters["limit"].json_schema["type"] == "integer"


def test_results_have_the_fields_that_are_looked_at(apis):
    device = apis["find_device"].returns["properties"]["devices"]["items"]["properties"]
    assert apis["find_device"].returns["properties"]["devices"]["type"] == "array"
    assert device["bought"] == {"type": "string", "format": "date"}
    assert device["serviced"] == {"type": "string", "format": "date"}
    assert device["warranty"]["properties"]["ends"]["type"] == ["string", "null"]
    assert device["price"]["type"] == "number"
    assert apis["open_repair"].returns == {}


def test_names_say_what_writes_and_failures_stand_in_the_description(apis):
    assert (apis["find_device"].writes, apis["open_repair"].writes) == (False, True)
    assert apis["find_device"].description == "Find a device. May fail with not_found."


@pytest.mark.parametrize("one", procedures(), ids=lambda one: one.id)
def test_every_procedure_that_ships_is_sound_with_its_own_documents(one: Procedure):
    found = extracted(one)
    assert [api.name for api in found] == list(one.calls)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", api.name) and api.description.endswith(".") for api in found)
    assert examine(write(one), apis=found).problems == ()
    real = service(one.apis).apis
    assert {api.name for api in found if api.writes} == {name for name in one.calls if real[name].writes}


def test_with_nothing_else_there_are_conversations_that_see_all_of_a_procedure():
    one = procedure("order-not-received")
    made = plan_all(one, mocked(extracted(one)), 0, detours=0.5, seed=2)
    assert made.coverage.edges.value == 1.0
    for plan in made.plans:
        assert plan.dialogue.origin["status"] == "consistent, not executed"
        assert verify(TemplateWriter().words(plan), made.graph, cues=plan.cues) == []


def test_a_file_of_a_procedure_describes_what_it_calls(tmp_path):
    file = tmp_path / "repair.md"
    file.write_text(REPAIR)
    assert apis_of(file) == extracted(read(REPAIR))


def test_a_procedure_that_calls_nothing_has_none():
    assert extracted(read("# Hello\n1. **End**: say that we are closed.")) == []
