"""An evaluation as files, so that others' tools can measure the same.

For each seed: a run of each method, judgements without the examples, and topics with theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise import trec
from likewise.tables import evaluation, measuring
from likewise.tables.ground import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from likewise.tables.evaluation import Plan
    from likewise.tables.ground import Ground

Examples = dict[str, set[str]]  # by topic


def prepare(plan: Plan, folder: Path) -> None:
    """Refuse what could not be written, before anything is measured."""
    trec.refuse_spaces("document", load(plan.folder, plan.files).ids)
    trec.refuse_spaces("topic", evaluation.topics(plan).taking_part)
    folder.mkdir(parents=True, exist_ok=True)


def write(plan: Plan, folder: Path) -> list[Path]:
    """Write them, and say where."""
    prepare(plan, folder)
    texts = {name: text for seed in range(plan.seeds) for name, text in _of_seed(plan, seed)}
    return _written(folder, texts)


def _of_seed(plan: Plan, seed: int) -> Iterable[tuple[str, str]]:
    """Names of files, and what is in them.

    The names are none that a collection is looked for under, in case the folder is one.
    """
    ground = load(plan.folder, plan.files)
    examples = {
        topic: evaluation.choose(ground, topic, plan.examples, seed)
        for topic in evaluation.topics(plan).taking_part
    }
    for method in plan.methods:
        yield f"{method.replace('@', '-at-')}.{seed}.run", _run(ground, method, examples)
    judged = (trec.qrels_lines(t, evaluation.to_find(ground, t, e)) for t, e in examples.items())
    yield f"judged.{seed}.qrels", "".join(judged)
    yield f"examples.{seed}.topics", "".join(_topic(ground, t, e) for t, e in examples.items())


def _run(ground: Ground, method: str, examples: Examples) -> str:
    """The first documents of every topic, as many as measures see."""
    parts = []
    for topic, given in examples.items():
        ranking = evaluation.found(evaluation.rank(ground, method, topic, given))
        parts.append(trec.run_lines(topic, ranking[: measuring.DEPTH], f"likewise-{method}"))
    return "".join(parts)


def _topic(ground: Ground, topic: str, examples: set[str]) -> str:
    known = ground.topics.get(topic)
    return trec.topic_line(trec.Topic(topic, known.text if known else "", tuple(sorted(examples))))


def _written(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]
