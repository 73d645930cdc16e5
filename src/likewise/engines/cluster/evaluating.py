"""Expressions become tasks: one for each piece, however much it computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.engines.cluster.expressions import compiled, cost, ordered
from likewise.engines.cluster.tasks import Batch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.engines.cluster.expressions import Node, Program
    from likewise.engines.cluster.layout import Layout
    from likewise.engines.cluster.tasks import Cluster

    Wanted = Sequence[tuple[Layout, Node]]

COSTLY = 10  # steps: of a long expression, what takes more is computed once and kept
LONG = 80  # steps of an expression that is sent again and again


def run(program: Program, piece: int, anchor: object, *leaves: Any) -> Any:
    """On a worker: the value of an expression's one target, or those of several."""
    found = program(leaves, piece)
    return found[0] if len(found) == 1 else tuple(found)


def evaluated(cluster: Cluster, targets: Wanted, also: Sequence[Any] = ()) -> list[Any]:
    """The pieces of each target, brought here.

    The results of futures in `also` come with them, after those of the targets.
    """
    for layout, node in targets:
        _keep_costly(cluster, layout, node)
    groups: dict[Any, list[int]] = {}
    for place, (layout, _) in enumerate(targets):
        groups.setdefault(layout.key, []).append(place)
    calls: list[Any] = []
    for places in groups.values():
        calls += _calls(targets[places[0]][0], [targets[i][1] for i in places])
    values = iter(cluster.asked("look", calls, also))
    results: list[Any] = [[] for _ in targets]
    for places in groups.values():
        for _ in targets[places[0]][0].pieces:
            value = next(values)
            parts = (value,) if len(places) == 1 else value
            for place, part in zip(places, parts, strict=True):
                results[place].append(part)
    return [*results, *values]


def hold(cluster: Cluster, wanted: Wanted) -> None:
    """Let the pieces of some vectors be computed by tasks, and stay where they are."""
    batch = Batch(cluster)
    made = []
    for layout, node in wanted:
        if node.pieces is None:
            refs = [_task(batch, call) for call in _calls(layout, [node])]
            node.hold(refs)
            made.append(node)
    sent = batch.send()
    for node in made:
        pieces = node.pieces or ()
        node.hold([sent[piece.key] if hasattr(piece, "key") else piece for piece in pieces])


def _task(batch: Batch, call: tuple[Any, ...]) -> Any:
    """A task or, where the piece is in this process, its value."""
    function, *args = call
    return function(*args) if args[2] is None else batch.add("keep", function, *args)


def _calls(layout: Layout, nodes: Sequence[Node]) -> list[tuple[Any, ...]]:
    """What computes some nodes of each piece."""
    program, leaves = compiled(nodes)
    return [
        (run, program, i, piece.anchor, *(leaf.pieces[i] for leaf in leaves if leaf.pieces))
        for i, piece in enumerate(layout.pieces)
    ]


def _keep_costly(cluster: Cluster, layout: Layout, target: Node) -> None:
    """Of a long expression, keep what takes many steps."""
    nodes = ordered([target])
    if len(nodes) <= LONG:
        return
    spent: dict[int, int] = {}
    kept = []
    for node in nodes:
        spent[id(node)] = cost(node, spent)
        if node is not target and spent[id(node)] > COSTLY:
            kept.append((layout, node))
            spent[id(node)] = 0
    hold(cluster, kept)
