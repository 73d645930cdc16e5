"""Expressions become tasks: one for each piece, however much it computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.engines.cluster.expressions import compiled, cost, ordered
from likewise.engines.cluster.tasks import Batch, futures_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.engines.cluster.expressions import Node, Program
    from likewise.engines.cluster.layout import Layout
    from likewise.engines.cluster.tasks import Cluster

    Wanted = Sequence[tuple[Layout, Node]]

COSTLY = 10  # steps: what takes more is kept, as long as somebody may use it
AGAIN = 4  # steps: what takes so many is kept when it is computed the second time


def run(program: Program, anchor: object, *leaves: Any) -> Any:
    """On a worker: the value of an expression's one target, or those of several."""
    found = program(leaves)
    return found[0] if len(found) == 1 else tuple(found)


def evaluated(
    cluster: Cluster, targets: Wanted, held: Wanted = (), also: Sequence[Any] = ()
) -> list[Any]:
    """The pieces of each target, brought here; those of `held` stay where they are computed.

    The results of futures in `also` come with them, after those of the targets.
    """
    batch = Batch(cluster)
    kept = [_keep(batch, layout, node) for layout, node in held if node.pieces is None]
    for layout, node in targets:
        kept += _keep_costly(batch, layout, node)
    asked = _asked(batch, targets)
    found = batch.send()
    for node, refs in kept:
        node.hold([found[r.key] if hasattr(r, "key") else r for r in refs])
    remote = [ref for group, refs in asked for ref in refs if hasattr(ref, "key")]
    values = iter(cluster.gathered([*futures_of(found, remote), *also]))
    results: list[Any] = [[] for _ in targets]
    for group, refs in asked:
        for ref in refs:
            value = next(values) if hasattr(ref, "key") else ref
            parts = (value,) if len(group) == 1 else value
            for place, part in zip(group, parts, strict=True):
                results[place].append(part)
    return [*results, *values]


def _asked(batch: Batch, targets: Wanted) -> list[tuple[list[int], list[Any]]]:
    """Targets over the same pieces together: their places, and a task for each piece."""
    groups: dict[Any, list[int]] = {}
    for place, (layout, _) in enumerate(targets):
        groups.setdefault(layout.key, []).append(place)
    return [
        (places, tasks_of(batch, "look", targets[places[0]][0], [targets[i][1] for i in places]))
        for places in groups.values()
    ]


def tasks_of(batch: Batch, name: str, layout: Layout, nodes: Sequence[Node]) -> list[Any]:
    """A task for each piece; in place of one, the value itself where the piece is here."""
    program, leaves = compiled(nodes)
    found: list[Any] = []
    for i, piece in enumerate(layout.pieces):
        own = [leaf.pieces[i] for leaf in leaves if leaf.pieces is not None]
        if piece.anchor is None:
            found.append(run(program, None, *own))
        else:
            found.append(batch.add(name, run, program, piece.anchor, *own))
    return found


def _keep_costly(batch: Batch, layout: Layout, target: Node) -> list[tuple[Node, list[Any]]]:
    """Of a target's expression, keep what takes many steps."""
    kept = []
    spent: dict[int, int] = {}
    for node in ordered([target]):
        steps = spent[id(node)] = cost(node, spent)
        if node is not target and (steps > COSTLY or (node.seen and steps >= AGAIN)):
            kept.append(_keep(batch, layout, node))
            spent[id(node)] = 0
        node.seen = True
    return kept


def _keep(batch: Batch, layout: Layout, node: Node) -> tuple[Node, list[Any]]:
    refs = tasks_of(batch, "keep", layout, [node])
    node.hold(refs)
    return node, refs
