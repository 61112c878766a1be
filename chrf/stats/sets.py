"""Several test sets: `compare_sets` compares systems on them, `average_ci` is about one."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from chrf.core.checks import cut, shown
from chrf.core.draws import ADJUST, ALPHA, INTERVAL_DRAWS, SEED, TEST_DRAWS
from chrf.core.mean import MeanScore, same_or_none
from chrf.core.options import OptionKeywords, Options
from chrf.core.resampling import WORD_BITS, Draws
from chrf.core.score import Score
from chrf.stats import intervals, tests
from chrf.stats.corpus import PAIRED, SHARED, warned
from chrf.stats.design import Design, Numbers, too_narrow
from chrf.stats.input import read_labels, read_systems
from chrf.stats.intervals import METHODS
from chrf.stats.records import BootstrapInterval, Comparisons
from chrf.stats.settings import PairedSettings, PermutationSettings
from chrf.stats.systems import SystemCounts, drawn_by

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from chrf.core.source import References
    from chrf.stats.design import Labels
    from chrf.stats.input import GivenCounts, Systems

    TestSet = tuple[Systems, References] | Mapping[str, GivenCounts]

AVERAGES = ("macro", "micro")


def compare_sets(
    sets: Mapping[str, TestSet],
    *,
    average: str = AVERAGES[0],
    test: str = "permutation",
    iterations: int | None = None,
    exact_budget: int | None = None,
    interval_iterations: int | None = None,
    interval_method: str = METHODS[0],
    alpha: float = ALPHA,
    two_tailed: bool = True,
    adjust: str = ADJUST,
    within: float | Fraction | None = None,
    power: float | None = None,
    documents: Mapping[str, Labels] | None = None,
    strata: Mapping[str, Labels] | None = None,
    seed: int | None = SEED,
    threads: int = 1,
    distribution: bool = False,
    **options: Unpack[OptionKeywords],
) -> Comparisons:
    """Compare systems over several test sets, such as language pairs, resampled within each.

    Parameters
    ----------
    sets : mapping of str to (systems, references), or to systems
        Of each set by its name what `paired_permutation` takes: systems and their references, or
        a mapping of counts. All sets have systems of the same names.
    average : {"macro", "micro"}
        The mean of the sets' scores, in which each set counts the same, or the score of all
        segments as one corpus.
    test : {"permutation", "bootstrap"}
        `paired_permutation` or `paired_bootstrap`.
    interval_iterations : int, optional
        Bootstrap resamples for the intervals; 0 for no intervals. By default as for `test`.
    documents, strata : mapping of str to labels, optional
        Of each set by its name what `bootstrap_ci` takes.
    iterations, exact_budget, interval_method, alpha, two_tailed, adjust, within, power
        As for `paired_permutation` and `paired_bootstrap`; the latter has no `exact_budget`.
    seed, threads, distribution, **options
        As for `bootstrap_ci`.

    Returns
    -------
    Comparisons
        Differences, intervals and ranks are of the average. The scores of its systems are
        `MeanScore` or, with "micro", `chrf.Score`.

    Raises
    ------
    TypeError, ValueError
        What `paired_permutation` raises, by the name of the set; no sets, sets without the same
        systems, labels that are not of the same sets, a set of one segment or document.

    Warns
    -----
    UserWarning
        As for `paired_permutation`.

    Examples
    --------
    >>> german = ["die Katze sass", "ein Fuchs", "es regnet", "wir essen", "geh heim", "Tag"]
    >>> czech = ["kočka seděla", "liška", "prší", "jíme", "jdi domů", "dobrý den"]
    >>> sets = {
    ...     name: ({"A": [r[1:] for r in refs], "B": [r[2:] for r in refs]}, refs)
    ...     for name, refs in (("en-de", german), ("en-cs", czech))
    ... }
    >>> result = compare_sets(sets, interval_iterations=0)
    >>> print(result["A", "B"])
    A - B = 17.587487, p = 0.0005 (exact permutation, 4096)
    >>> {name: str(score) for name, score in result.systems[0].score.scores}
    {'en-de': '84.334310', 'en-cs': '80.668910'}
    """
    checked = Options.from_keywords(dict(options), ("average", "test", "exact_budget", *PAIRED))
    _check_choice("average", average, AVERAGES)
    _check_choice("test", test, tuple(TEST_DRAWS))
    others: dict[str, Any] = {
        "two_tailed": two_tailed,
        "distribution": distribution,
        "adjust": adjust,
        "within": within,
        "power": power,
        "interval_iterations": interval_iterations,
        "interval_method": interval_method,
    }
    drawn = iterations, alpha, seed, threads
    settings: PairedSettings
    if test == "permutation":
        if interval_iterations is None:
            others["interval_iterations"] = INTERVAL_DRAWS
        settings = PermutationSettings.checked(*drawn, exact_budget=exact_budget, **others)
    elif exact_budget is None:
        settings = PairedSettings.checked(*drawn, **others)
    else:
        raise ValueError("exact_budget goes with test='permutation'")
    read = read_sets(sets, documents, strata, checked, settings.draws.threads)
    systems = average_systems(read, average)
    if isinstance(settings, PermutationSettings):
        return warned(tests.permutation_test(systems, settings), systems[0])
    return warned(tests.bootstrap_test(systems, settings), systems[0])


def average_ci(
    sets: Mapping[str, tuple[Iterable[str], References] | GivenCounts],
    *,
    average: str = AVERAGES[0],
    iterations: int = INTERVAL_DRAWS,
    alpha: float = ALPHA,
    method: str = METHODS[0],
    documents: Mapping[str, Labels] | None = None,
    strata: Mapping[str, Labels] | None = None,
    seed: int | None = SEED,
    threads: int = 1,
    distribution: bool = False,
    **options: Unpack[OptionKeywords],
) -> BootstrapInterval:
    """Return the bootstrap interval of one system's average over several test sets.

    Parameters
    ----------
    sets : mapping of str to (hypotheses, references), or to counts
        Of each set by its name what `bootstrap_ci` takes.
    average, documents, strata
        As for `compare_sets`.
    iterations, alpha, method, seed, threads, distribution, **options
        As for `bootstrap_ci`.

    Returns
    -------
    BootstrapInterval
        Its score is a `MeanScore` or, with "micro", a `chrf.Score`.

    Raises
    ------
    TypeError, ValueError
        As for `compare_sets`.

    Warns
    -----
    UserWarning
        Of fewer than 20 documents, or fewer than ten segments a set.

    Examples
    --------
    >>> german, czech = ["die Katze sass", "ein Fuchs"] * 5, ["kočka seděla", "liška"] * 5
    >>> systems = ["Katze sass", "Fuchs"] * 5, ["kočka", "liška"] * 5
    >>> print(average_ci({"en-de": (systems[0], german), "en-cs": (systems[1], czech)}))
    57.775590 [49.710436, 67.571029]
    """
    own = ("average", "iterations", "method", *SHARED)
    checked = Options.from_keywords(dict(options), own)
    _check_choice("average", average, AVERAGES)
    draws = Draws.checked(iterations, alpha, seed, threads)
    intervals.check_method(method)
    named: Any = sets
    if isinstance(sets, Mapping):
        named = {name: _named(given) for name, given in sets.items()}
    read = read_sets(named, documents, strata, checked, draws.threads)
    [system] = average_systems(read, average)
    if few := too_narrow(system.design, len(system.counts)):
        warnings.warn(few, stacklevel=2)
    return intervals.bootstrap_interval(system, draws, method=method, distribution=distribution)


def _named(given: Any) -> Any:
    """Return a set of one system under the name that messages have for it."""
    if isinstance(given, tuple) and len(given) == 2:
        return {"hypotheses": given[0]}, given[1]
    return {"hypotheses": given}


def _check_choice(name: str, value: str, allowed: Sequence[str]) -> None:
    """Raise a ValueError for a value that is not allowed."""
    if value not in allowed:
        names = " or ".join(map(repr, allowed))
        raise ValueError(f"{name} is {shown(value)}; it must be {names}")


def read_sets(
    sets: Any, documents: Any, strata: Any, options: Options, threads: int
) -> dict[str, list[SystemCounts]]:
    """Read the systems of each set, drawn by the set's documents and strata."""
    if not isinstance(sets, Mapping):
        raise TypeError(f"sets is {type(sets).__name__}; give a mapping of names to sets")
    if not sets:
        raise ValueError("there are no sets")
    for name in sets:
        if not isinstance(name, str):
            raise TypeError(f"sets has the name {shown(name)}; a name is a string")
    labels = {"documents": documents, "strata": strata}
    for argument, given in labels.items():
        _check_names(argument, given, sets)
    read = {}
    for name, given in sets.items():
        among = [
            read_labels(f"{argument}[{shown(name)}]", given and given[name])
            for argument, given in labels.items()
        ]
        systems, references = _systems_of(name, given)
        try:
            counted = read_systems(systems, references, options, threads)
            read[name] = drawn_by(counted, *among)
        except (TypeError, ValueError) as error:
            if type(error) not in (TypeError, ValueError):  # of the caller's own iterable
                raise
            raise type(error)(f"{cut(name)}: {error}") from None
    return read


def _check_names(argument: str, given: Any, sets: Mapping[str, Any]) -> None:
    """Raise unless labels are None, or a mapping of the names of the sets."""
    if given is None:
        return
    if not isinstance(given, Mapping):
        raise TypeError(
            f"{argument} is {type(given).__name__}; give a mapping of the names of the sets to "
            "labels"
        )
    for name in sets:
        if name not in given:
            raise ValueError(f"{argument} has no labels for the set {shown(name)}")
    for name in given:
        if name not in sets:
            raise ValueError(f"{argument} has labels for {shown(name)}, which is no set")


def _systems_of(name: str, given: Any) -> tuple[Any, Any]:
    """Return the systems and the references of a set; of counts there are none."""
    if isinstance(given, Mapping):
        return given, None
    if isinstance(given, tuple) and len(given) == 2:
        return given
    found = f"a tuple of {len(given)}" if isinstance(given, tuple) else type(given).__name__
    raise TypeError(
        f"{cut(name)} is {found}; a set is a pair (systems, references), or a mapping of counts"
    )


def average_systems(sets: Mapping[str, Sequence[SystemCounts]], average: str) -> list[SystemCounts]:
    """Return the systems of several sets on all of them; see `joined`.

    Raises
    ------
    ValueError
        Sets without the same systems, or what `joined` raises.
    """
    first, *others = sets
    names = [system.name for system in sets[first]]
    by_name = {key: {system.name: system for system in systems} for key, systems in sets.items()}
    for other in others:
        for one, two in ((first, other), (other, first)):
            for name in by_name[one]:
                if name not in by_name[two]:
                    raise ValueError(
                        f"{cut(two)} has no system {shown(name)}, which {cut(one)} has; all sets "
                        "have the same systems"
                    )
    return [
        joined(name, {key: systems[name] for key, systems in by_name.items()}, average)
        for name in names
    ]


def joined(name: str, sets: Mapping[str, SystemCounts], average: str) -> SystemCounts:
    """Join what is known of one system on several sets.

    Parameters
    ----------
    name : str
    sets : mapping of str to SystemCounts
        Of the same options; all of them of documents, or none.
    average : {"macro", "micro"}
        The mean of the sets' scores, or the score of all segments as one corpus. Each is drawn
        within the sets.

    Raises
    ------
    ValueError
        A set of one segment or document, or counts whose sums may pass 63 bits.
    """
    parts = list(sets.values())
    for set_name, part in sets.items():
        if len(part.counts) == 1:
            raise ValueError(
                f"the set {shown(set_name)} has one {part.design.noun} only, within which nothing "
                "can be resampled"
            )
    if sum(len(part.counts) * int(part.counts.max()) for part in parts) >= 1 << WORD_BITS:
        raise ValueError(f"{cut(name)} holds counts whose sums may pass 63 bits")
    counts = np.concatenate([part.counts for part in parts])
    designs = [part.design for part in parts]
    sizes = tuple(len(part.counts) for part in parts)
    macro = average == AVERAGES[0]
    inner = any(design.strata is not None for design in designs)
    strata = _numbered(designs, sizes) if inner or not macro else None
    sample: list[tuple[str, int | str]] = [("sets", len(parts)), ("average", average)]
    if strata is not None and inner:
        sample.append(("strata", int(strata.max()) + 1))
    documents = None
    if designs[0].documents is not None:
        documents = len(counts)
        sample.append(("docs", documents))
    scores = {key: part.score for key, part in sets.items() if isinstance(part.score, Score)}
    score = MeanScore(tuple(scores.items())) if macro else _pooled(list(scores.values()))
    design = Design(sizes if macro else (), strata, documents, tuple(sample))
    return SystemCounts(name, counts, score, design)


def _numbered(designs: Sequence[Design], sizes: Sequence[int]) -> Numbers:
    """Return the strata of all sets, numbered one after the other."""
    numbers, first = [], 0
    for design, size in zip(designs, sizes, strict=True):
        own = np.zeros(size, dtype=np.intp) if design.strata is None else design.strata
        numbers.append(own + first)
        first += int(own.max()) + 1
    return np.concatenate(numbers)


def _pooled(scores: Sequence[Score]) -> Score:
    """Return the score of several sets as one corpus."""
    counts = [score.counts for score in scores]
    return Score(
        counts=tuple(
            (sum(h), sum(r), sum(m))
            for h, r, m in (zip(*rows, strict=True) for rows in zip(*counts, strict=True))
        ),
        options=scores[0].options,
        segment_count=sum(score.segment_count for score in scores),
        reference_count=same_or_none([score.reference_count for score in scores]),
        tied_segments=sum(score.tied_segments for score in scores),
    )
