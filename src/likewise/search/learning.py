"""From examples to a query: label the documents, choose a method, and learn."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from likewise.engines import DEFAULT, turn
from likewise.errors import NotConverged, UsageError
from likewise.search.auto import (
    ENOUGH,
    FACTORS,
    USED,
    WEIGHTING,
    Given,
    Plan,
    breadth_of,
    choose,
)
from likewise.search.bound import LearnedQuery
from likewise.search.examples import count_rows
from likewise.search.looking import Seen, nearest
from likewise.search.methods import (
    METHODS,
    Method,
    Options,
    refuse_unused,
    square_length,
    without_unused,
)
from likewise.search.open_index import warn
from likewise.search.query import Learned
from likewise.search.rounds import carry_out
from likewise.solvers.blocks import Blocks, Few, Rest
from likewise.store.embeddings import joined
from likewise.views import EMBEDDINGS, ONLY_WORDS, WORDS
from likewise.views.titles import FIELD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.corpus import Corpus, Ids
    from likewise.search.examples import Examples, Gathered
    from likewise.search.generation import Generation
    from likewise.solvers.stopping import Progress, Report

AWAY = "there is no liked example: what is least like the disliked ones comes first"


def learn(
    generation: Generation,
    liked: Examples,
    disliked: Examples = (),
    *,
    method: str = "auto",
    weighting: str | None = None,
    options: Options | None = None,
    report: Report | None = None,
) -> LearnedQuery:
    """Learn a query over one or several views from examples, inside or outside the index."""
    if not len(generation):
        raise UsageError(f"{generation.place} is empty: add documents first")
    given = liked, disliked, method, weighting, options or Options(), report
    try:
        with turn(generation.engine):
            return _learn(generation, *given)
    except MemoryError:
        if generation.engine == DEFAULT:
            raise
        note = f"engine {generation.engine} ran out of memory: {DEFAULT} was used for this query"
        found = _learn(generation.on_host, *given)
        notes = (*found.learned.notes, note)
        return replace(found, learned=msgspec.structs.replace(found.learned, notes=notes))


def _learn(
    generation: Generation,
    liked: Examples,
    disliked: Examples,
    method: str,
    weighting: str | None,
    options: Options,
    report: Report | None,
) -> LearnedQuery:
    gathered = generation.gather(liked, disliked)
    if not len(gathered.liked) and not len(gathered.disliked):
        raise UsageError("no example was given: give at least one liked document")
    if not len(gathered.liked):
        return _away(generation, gathered, method, weighting, options, report)
    return _learned(generation, gathered, method, weighting, options, report)


def _away(
    generation: Generation,
    gathered: Gathered,
    method: str,
    weighting: str | None,
    options: Options,
    report: Report | None,
) -> LearnedQuery:
    """From disliked documents alone: the query that they would make as examples, reversed."""
    if options.weights is not None:
        raise UsageError("weights are those of liked examples, and there is none: leave them out")
    swapped = gathered._replace(
        liked=gathered.disliked,
        disliked=gathered.liked,
        origins=list(range(len(gathered.disliked))),
        given=len(gathered.disliked),
    )
    found = _learned(generation, swapped, method, weighting, options, report)
    solution, learned = found.solution, found.learned
    return replace(
        found,
        solution=solution.reversed(),
        gathered=gathered,
        learned=msgspec.structs.replace(
            learned,
            reason=f"{AWAY}; {learned.reason}",
            examples=0,
            unlike=len(gathered.disliked),
        ),
    )


def _learned(
    generation: Generation,
    gathered: Gathered,
    method: str,
    weighting: str | None,
    options: Options,
    report: Report | None,
) -> LearnedQuery:
    began = time.perf_counter()
    plan, seen = _plan(generation, gathered, method, weighting, options)
    if method == "auto" and plan.twice:
        weighting = generation.weighting(weighting, WEIGHTING).name
    name, reason = plan.method, "; ".join(plan.reasons)
    corpus, notes = _corpus(generation, gathered, weighting, plan.factors, options)
    if plan.C_per_example is not None:  # a cost for rows of unit length
        plan = plan.scaled(square_length(corpus, Blocks(gathered.liked)))
    chosen = plan.options(options)
    refuse_unused(name, reason, replace(options, budget=None, views=None))
    chosen = without_unused(name, chosen)
    drawn = plan.twice and plan.near is not None  # whether the second round samples
    blocks = _blocks(len(generation), gathered, METHODS[name], chosen, drawn=drawn)
    solution = carry_out(corpus, blocks, plan, chosen, report, seen)
    progress = solution.progress
    learned = Learned(
        method=name,
        reason=reason,
        examples=len(gathered.liked),
        unlike=len(gathered.disliked),
        unlabeled=len(blocks.unlabeled),
        passes=progress.passes,
        seconds=time.perf_counter() - began,
        views=dict(plan.factors),
        notes=tuple(filter(None, notes)),
        **convergence(progress, chosen.tolerance),
    )
    if not learned.converged:
        _warn(learned)
    used = generation.weighting(weighting).name
    return LearnedQuery(generation, solution, gathered, used, learned)


def outside_too(
    generation: Generation, gathered: Gathered, weighting: str | None, factors: Mapping[str, float]
) -> Corpus:
    """Views side by side, with the examples from outside the index after its own documents."""
    return _corpus(generation, gathered, weighting, factors, Options())[0]


def _corpus(
    generation: Generation,
    gathered: Gathered,
    weighting: str | None,
    factors: Mapping[str, float],
    options: Options,
) -> tuple[Corpus, list[str]]:
    """The views of all documents to learn from, and notes on examples without an embedding."""
    outside = count_rows(gathered.outside, generation.snapshot) if gathered.outside else None
    embedded, notes = _about_embeddings(generation, gathered, factors, options)
    fields = generation.analyzer.settings.fields
    titled = [dict(zip(fields, texts, strict=True)).get(FIELD, "") for texts in gathered.texts]
    return generation.stacked(weighting, factors, outside, embedded, titled), notes


def _plan(
    generation: Generation,
    gathered: Gathered,
    method: str,
    weighting: str | None,
    options: Options,
) -> tuple[Plan, Seen | None]:
    """The plan for the named method, or the one that `auto` chooses, and what it saw for that."""
    there = generation.views
    asked = None if options.views is None else factors_of(options.views, there)
    if method != "auto":
        if options.budget is not None:
            raise UsageError(f"budget applies only to method auto, not to {method}: leave it out")
        check_known(method)
        return Plan(method, asked or ONLY_WORDS, reasons=("it was asked for",)), None
    if _all_judged(generation, gathered):
        plan = Plan(
            "centroid",
            reasons=("all documents are examples or judged: there are no others to learn from",),
        )
    else:
        views = [name for name in asked or there if name in (asked or USED) and name != WORDS]
        given = Given(
            len(gathered.liked),
            len(generation),
            generation.entries + len(generation) * _dimensions(generation, views),
            views,
            options.budget,
            speed=generation.words(generation.weighting(weighting, WEIGHTING).name).speed,
            asked=asked,
        )
        plan = choose(given)
        if plan.twice:
            again = plan.sample is None and options.weights is None
            given, seen = _looked_at(given, generation, gathered, weighting, again=again)
            return choose(given), seen
    if asked and len(asked) > 1:
        raise UsageError(
            f"method {plan.method} uses words only ({plan.reasons[0]}): leave out the other views"
        )
    return plan, None


def _looked_at(
    given: Given,
    generation: Generation,
    gathered: Gathered,
    weighting: str | None,
    *,
    again: bool,
) -> tuple[Given, Seen | None]:
    """With how broad the examples' topic looks, by words, and how long they are."""
    if len(gathered.liked) > ENOUGH:
        return given, None
    used = generation.weighting(weighting, WEIGHTING).name
    words = outside_too(generation, gathered, used, ONLY_WORDS)
    judged = np.concatenate([gathered.liked, gathered.disliked])
    terms = len(words.rows(gathered.liked).columns) / len(gathered.liked)
    again = again and not gathered.outside and not len(gathered.disliked)
    near, seen = nearest(words, gathered.liked, judged, again=again)
    return replace(given, breadth=breadth_of(near), terms=terms), seen


def _dimensions(generation: Generation, views: Sequence[str]) -> int:
    dense = generation.snapshot.manifest.views
    return sum(dense[name].dimensions for name in views if name in dense)


def _all_judged(generation: Generation, gathered: Gathered) -> bool:
    judged = np.concatenate([gathered.liked, gathered.disliked])
    return int(np.count_nonzero(judged < len(generation))) == len(generation)


def factors_of(views: object, there: list[str]) -> dict[str, float]:
    """The factor of each view that a user names, words first."""
    given = _named(views)
    for name in given:
        if name != WORDS and name not in there:
            known = ", ".join([WORDS, *there])
            raise UsageError(f"no view {name!r} in this index: choose from {known}")
    if WORDS not in given:
        named = ",".join(given) or "empty"
        wanted = ",".join([WORDS, *given])
        raise UsageError(f"views is {named}, but must contain words: write {wanted}")
    usual = {WORDS: 1.0, **FACTORS}
    ordered = [WORDS, *(name for name in given if name != WORDS)]
    factors = ((name, given[name]) for name in ordered)
    return {name: usual[name] if factor is None else factor for name, factor in factors}


def _named(views: object) -> dict[str, float | None]:
    """The names of views, each with its factor or None."""
    if isinstance(views, str):
        return dict.fromkeys(filter(None, map(str.strip, views.split(","))))
    names = list(views) if isinstance(views, Mapping | Sequence) else [views]
    if not all(isinstance(name, str) for name in names):
        raise UsageError(
            f"views is {views!r}: give names, as in 'words,latent', or names with factors"
        )
    if not isinstance(views, Mapping):
        return dict.fromkeys(map(str, names))
    for name, factor in views.items():
        if isinstance(factor, bool) or not isinstance(factor, int | float | np.number):
            raise UsageError(f"view {name!r} has factor {factor!r}: it must be a number above 0")
    return {name: float(factor) for name, factor in views.items()}


def check_known(method: str) -> None:
    if method not in METHODS:
        raise UsageError(f"unknown method {method!r}: choose auto, {', '.join(METHODS)}")


def _about_embeddings(
    generation: Generation,
    gathered: Gathered,
    factors: Mapping[str, float],
    options: Options,
) -> tuple[NDArray[np.float32] | None, list[str]]:
    """Embeddings of outside examples, if possible, and notes on examples without one."""
    if EMBEDDINGS not in factors:
        bring = any(one is not None and one.vector is not None for one in gathered.carried)
        unused = "vectors that examples bring are not used: the query has no embeddings"
        return None, [unused] if bring else []
    embedded, why = None, ""
    if gathered.outside:
        embedded, why = _embedded(generation, gathered, options)
    return embedded, [_without(generation, gathered), why]


def _embedded(
    generation: Generation, gathered: Gathered, options: Options
) -> tuple[NDArray[np.float32] | None, str]:
    """Embeddings of outside examples: those that they bring, and others by the model."""
    from likewise.search.carried import of_examples
    from likewise.search.embeddings import of_texts

    brought = of_examples(generation.snapshot, gathered.carried)
    own = np.array([one is not None and one.vector is not None for one in gathered.carried])
    if own.all():
        return brought, ""
    may_load = options.budget in (None, "offline")  # loading a model takes seconds
    others = [joined(texts) for texts, has in zip(gathered.texts, own, strict=True) if not has]
    made, why = of_texts(generation.snapshot, others, may_load=may_load)
    if made is not None:
        brought[~own] = made
    return (brought if own.any() or made is not None else None), why


def _without(generation: Generation, gathered: Gathered) -> str:
    """A note on examples in the index that have no embedding."""
    examples = np.concatenate([gathered.liked, gathered.disliked])
    inside = examples < len(generation)
    rows = generation.view(EMBEDDINGS).rows(examples[inside])
    ids = [id for id, there in zip(gathered.ids, inside, strict=True) if there]
    ends = zip(ids, rows.starts[:-1], rows.starts[1:], strict=True)
    lacking = [id for id, first, last in ends if not rows.values[first:last].any()]
    if not lacking:
        return ""
    if len(lacking) == 1:
        return f"the example {lacking[0]} has no embedding and counts only by its other views"
    others = f"{lacking[0]} and {len(lacking) - 1:,} more"
    return f"{len(lacking):,} examples ({others}) have no embedding and count only by other views"


def convergence(progress: Progress, tol: float | None) -> dict[str, Any]:
    """The fields of `Learned` about the gap; `tol` is the gap at which the solver stops."""
    if np.isnan(progress.objective):  # nothing was minimised
        return {}
    gap = progress.relative_gap
    converged = tol is None or gap <= tol
    return {"objective": progress.objective, "gap": gap, "tol": tol, "converged": converged}


def _warn(learned: Learned) -> None:
    warn(
        f"method {learned.method} stopped after {learned.passes} passes over the documents with a "
        f"relative gap of {learned.gap:.2g}, above tol={learned.tol:g}: "
        "raise max_passes or tol, or lower C",
        NotConverged,
    )


def _blocks(
    documents: int, gathered: Gathered, method: Method, options: Options, *, drawn: bool
) -> Blocks:
    unlabeled: Ids | Rest = np.zeros(0, np.int64)
    if not method.online:
        judged = np.concatenate([gathered.liked, gathered.disliked])
        unlabeled = _sample(Rest(documents, judged), options, drawn=drawn)
    weights = None
    if options.weights is not None:
        given = _checked(options.weights, gathered.given)
        weights = Few(gathered.liked, np.array([given[place] for place in gathered.origins], float))
    return Blocks(gathered.liked, unlabeled, gathered.disliked, weights)


def _checked(weights: Sequence[float], examples: int) -> Sequence[float]:
    if len(weights) != examples:
        raise UsageError(f"{len(weights)} weights for {examples} examples: give one for each")
    if not all(0 < weight < float("inf") for weight in weights):
        raise UsageError("weights must be numbers above 0")
    return weights


def _sample(unlabeled: Rest, options: Options, *, drawn: bool) -> Ids | Rest:
    """All unlabeled documents or a sample; with `drawn`, the seed is used later."""
    size, seed = options.sample_unlabeled, options.seed or 0
    if seed < 0:
        raise UsageError(f"seed is {seed}: it must be 0 or more")
    if size is None:
        if options.seed is not None and not drawn:
            raise UsageError(
                "seed has no effect without sample_unlabeled (--sample-unlabeled): give both"
            )
        return unlabeled
    if size < 1:
        raise UsageError(f"sample_unlabeled is {size}: it must be 1 or more")
    if size >= len(unlabeled):
        return unlabeled
    return unlabeled.drawn(size, seed)
