"""Rows of data in one test: `each_row` stands where `pytest.mark.parametrize` would make hundreds of cases."""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import pytest


def each_row(names: str | Sequence[str], rows: Sequence[Any], ids: Callable[[Any], object] = str) -> Any:
    """Decorate a test, or a class of tests, to run for every row; what fails is listed, each by the id of its row.

    Fixtures are made once, not once a row.
    """
    wanted = [names] if isinstance(names, str) else list(names)
    assert rows, "no rows"

    def of_test(test: Callable[..., None]) -> Callable[..., None]:
        parameters = inspect.signature(test).parameters
        assert parameters.keys() >= set(wanted), f"{test.__name__} does not take {wanted}"

        @functools.wraps(test)
        def for_all(*self: Any, **fixtures: Any) -> None:
            failures: list[str] = []
            for row in rows:
                values = [row] if isinstance(names, str) else row
                try:
                    test(*self, **fixtures, **dict(zip(wanted, values, strict=True)))
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - any row may fail in any way
                    place = traceback.extract_tb(error.__traceback__)[-1]
                    failures.append(f"[{ids(row)}] line {place.lineno}: {type(error).__name__}: {error}")
            assert not failures, f"{len(failures)} of {len(rows)} rows fail:\n" + "\n".join(failures)

        left = [parameter for name, parameter in parameters.items() if name not in wanted]
        for_all.__signature__ = inspect.Signature(left)  # type: ignore[attr-defined]
        return for_all

    def of_class(tests: type) -> type:
        for name, member in list(vars(tests).items()):
            if name.startswith("test_"):
                setattr(tests, name, of_test(member))
        return tests

    return lambda target: of_class(target) if inspect.isclass(target) else of_test(target)
