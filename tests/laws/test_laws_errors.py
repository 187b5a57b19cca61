"""The tree that `toologue.errors` draws is the tree that there is."""

from __future__ import annotations

import ast
import re

from source_tree import modules

from toologue import errors


def test_of_many_names_the_nearest_are_told_and_what_lists_them() -> None:
    names = [f"Get{one}" for one in ("Charge", "Charges", "Customer", *map(str, range(300)))]
    said = str(errors.UnknownName("operation", "GetChrge", names))
    assert said.startswith("no operation is called 'GetChrge'; did you mean 'GetCharge'? Known: Get")
    assert "GetCharges" in said
    assert said.endswith("and 297 more (`toologue apis DOCUMENT` lists them)")
    assert len(said) < 300
    assert str(errors.UnknownName("agent", "x", names[:3])).endswith("Known: GetCharge, GetCharges, GetCustomer")


def drawn() -> dict[str, str]:
    """Error → its parent, as the docstring draws them."""
    parents: dict[str, str] = {}
    above: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"    ([│├└─ ]*)(\w+)", line)
        if found and (not above or found[1]) and ">>>" not in line:
            depth, name = len(found[1]), found[2]
            above = [(at, other) for at, other in above if at < depth]
            if above:
                parents[name] = above[-1][1]
            above.append((depth, name))
        elif above:
            break
    return parents


def there() -> dict[str, str]:
    """Error → its parent, in the whole package."""
    classes = [node for module in modules().values() for node in module.nodes if isinstance(node, ast.ClassDef)]
    bases = {node.name: [base.id for base in node.bases if isinstance(base, ast.Name)] for node in classes}
    found = {"ToologueError": ""}
    while more := {n: b for n, of in bases.items() for b in of if b in found and n not in found}:
        found |= more
    return {name: parent for name, parent in found.items() if parent}


def test_the_tree_is_drawn_as_it_is() -> None:
    """Whole, but for what a room makes of a kind that is drawn: who has to act is the kind's to say."""
    assert drawn().items() <= there().items()
    kinds = {name for name, parent in there().items() if parent == "ToologueError" or hasattr(errors, name)}
    assert kinds == drawn().keys()
