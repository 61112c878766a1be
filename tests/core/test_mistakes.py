"""Fifty mistakes that people make with the library, each with the one line that it gets."""

import re
from pathlib import Path

import numpy as np
import pytest

import chrf
from chrf import stats
from chrf.core.accumulator import Accumulator
from chrf.core.scorer import Scorer

H, R = ["the cat", "a dog", "it rains"], ["the cat sat", "a dog", "it rained"]
LISTS = [[text] for text in R]
NAN = float("nan")
ONE_SIDE, OR_LISTS = "give a list of strings", "give a list of strings, or of lists of strings"
OPTIONS = "beta, char_order, word_order, lowercase, whitespace, averaging, rule"
BETA = "it must be an integer of at least 1 or a positive fractions.Fraction"
NEEDS = "a segment needs at least one reference"
WORDS = "; of words, join them: ' '.join(words)"
LONG = "x" * 100_000


def score(hypotheses=H, references=R, **options):
    return lambda: chrf.corpus_score(hypotheses, references, **options)


MISTAKES = {
    # A string where a list was meant, or no list at all.
    "two strings": (score("a", "a"), f"hypotheses is a single str; {ONE_SIDE}"),
    "a string of references": (score(H, "a"), f"references is a single str; {OR_LISTS}"),
    "the name of a file": (
        score("hyp.txt", R),
        "hypotheses is a single str; is 'hyp.txt' a file? Read its lines first",
    ),
    "a file's name for references": (
        score(H, "hyp.txt"),
        "references is a single str; is 'hyp.txt' a file? Read its lines first",
    ),
    "a whole text": (score(LONG, R), f"hypotheses is a single str; {ONE_SIDE}"),
    "NUL in a string": (score("a\0b", R), f"hypotheses is a single str; {ONE_SIDE}"),
    "a path": (
        score(Path("hyp.txt"), R),
        f"hypotheses is {type(Path()).__name__}; {ONE_SIDE}: read the lines of the file first",
    ),
    "bytes": (score(b"ab", R), f"hypotheses is a single bytes; {ONE_SIDE}"),
    "None": (score(None, R), f"hypotheses is NoneType; {ONE_SIDE}"),
    "a number": (score(H, 5), f"references is int; {OR_LISTS}"),
    "a set": (score(set(H), R), f"hypotheses is a set, which has no order; {ONE_SIDE}"),
    "a dict of systems": (
        score({"A": H}, R),
        f"hypotheses is a dict, which has no order; {ONE_SIDE}",
    ),
    "an array without dimensions": (
        score(np.array("a"), R),
        f"hypotheses is a ndarray of 0 dimensions; {ONE_SIDE}",
    ),
    "an array of two dimensions": (
        score(np.array([H]), R),
        f"hypotheses is a ndarray of 2 dimensions; {ONE_SIDE}",
    ),
    # Something else where a string was meant.
    "None in hypotheses": (
        score(["a", None, "b"]),
        "hypotheses[1] is NoneType, not a string; give '' for an empty hypothesis, or leave the "
        "segment out on both sides",
    ),
    "None in references": (
        score(H, ["a", None, "b"]),
        "references[1] is NoneType, not a string; each segment needs a reference: leave this one "
        "out on both sides",
    ),
    "NaN": (score(["a", NAN, "b"]), "hypotheses[1] is missing (NaN), not a string"),
    "NaN in references": (
        score(H, ["a", "b", NAN]),
        "references[2] is missing (NaN), not a string",
    ),
    "NaN of NumPy": (
        score(["a", np.float64("nan"), "b"]),
        "hypotheses[1] is missing (NaN), not a string",
    ),
    "NaN in a list": (
        score(H, [["a"], ["b", NAN], ["c"]]),
        "references[1][1] is missing (NaN), not a string",
    ),
    "bytes inside": (score([b"a", "b", "c"]), "hypotheses[0] is bytes, not a string"),
    "integers": (score([1, 2, 3]), "hypotheses[0] is int, not a string"),
    "words": (score([["a", "b"]] * 3), f"hypotheses[0] is list, not a string{WORDS}"),
    "words in tuples": (score([("a", "b")] * 3), f"hypotheses[0] is tuple, not a string{WORDS}"),
    "words of references": (
        score(H, [[["a", "b"]]] * 3),
        f"references[0][0] is list, not a string{WORDS}",
    ),
    # References and lengths.
    "unequal lengths": (
        score(H, R[:2]),
        "hypotheses has 3 items but references has 2; each hypothesis needs its own",
    ),
    "streams of references": (
        score(H, [R, R]),
        "hypotheses has 3 items but references has 2; each hypothesis needs its own. The "
        "references look transposed: one set of 3 strings after another, 2 in all. Give one list "
        "per hypothesis: list(zip(*references))",
    ),
    "no segments": (score([], []), "there are no segments: hypotheses and references are empty"),
    "an empty list of references": (
        score(H, [["a"], [], ["b"]]),
        f"references[1] is empty; {NEEDS}",
    ),
    "only None in a list": (
        score(H, [["a"], [None, None], ["b"]]),
        f"references[1] has no reference: every item is None; {NEEDS}",
    ),
    "None among lists": (score(H, [["a"], None, ["b"]]), f"references[1] is None; {NEEDS}"),
    "strings and lists": (
        score(H, ["a", ["b"], ["c"]]),
        "references[0] is a string, but others are lists; give one string per hypothesis, or one "
        "list of strings per hypothesis",
    ),
    "only None for a scorer": (
        lambda: Scorer([["a"], [None]]),
        f"references[1] has no reference: every item is None; {NEEDS}",
    ),
    "only None for an accumulator": (
        lambda: Accumulator().update(["a"], [[None]]),
        f"references[0] has no reference: every item is None; {NEEDS}",
    ),
    "only None for segments": (
        lambda: chrf.segment_scores(["a"], [[None]]),
        f"references[0] has no reference: every item is None; {NEEDS}",
    ),
    "only None for an interval": (
        lambda: stats.bootstrap_ci(["a"], [[None]]),
        f"references[0] has no reference: every item is None; {NEEDS}",
    ),
    # Options.
    "a negative beta": (score(beta=-1), f"beta is -1; {BETA}"),
    "a float that is an integer": (score(beta=2.0), f"beta is 2.0; {BETA}: write 2"),
    "a float": (score(beta=0.5), f"beta is 0.5; {BETA}: write Fraction('0.5')"),
    "a float of NumPy": (
        score(beta=np.float64(0.1)),
        f"beta is {np.float64(0.1)!r}; {BETA}: write Fraction('0.1')",
    ),
    "infinity": (score(beta=float("inf")), f"beta is inf; {BETA}"),
    "beta in quotes": (score(beta="2"), f"beta is '2'; {BETA}"),
    "a word order": (score(word_order=5), "word_order is 5; it must be an integer from 0 to 4"),
    "an option in one word": (
        score(wordorder=2),
        f"unknown option 'wordorder'; did you mean word_order? The options are threads, {OPTIONS}",
    ),
    "an option of the signature": (
        score(nw=2),
        f"unknown option 'nw'; did you mean word_order? The options are threads, {OPTIONS}",
    ),
    "an option of torchmetrics": (
        score(n_char_order=2),
        "unknown option 'n_char_order'; did you mean char_order? The options are threads, "
        f"{OPTIONS}",
    ),
    "smoothing": (
        score(eps_smoothing=True),
        "unknown option 'eps_smoothing'; did you mean averaging='per_order_f'? The options are "
        f"threads, {OPTIONS}",
    ),
    "an unknown option": (
        score(frob=1),
        f"unknown option 'frob'; the options are threads, {OPTIONS}",
    ),
    "1 for True": (score(lowercase=1), "lowercase is 1; it must be True or False"),
    "a rule": (score(rule="sacreblue"), "rule is 'sacreblue'; it must be 'all' or 'sacrebleu'"),
    "a long rule": (score(rule=LONG), f"rule is '{LONG[:76]}...; it must be 'all' or 'sacrebleu'"),
    "no threads": (score(threads=0), "threads is 0; it must be an integer of at least 1"),
    "resamples": (
        lambda: stats.bootstrap_ci(H, R, n_bootstrap=10),
        "unknown option 'n_bootstrap'; did you mean iterations? The options are iterations, "
        f"method, alpha, documents, strata, seed, threads, distribution, {OPTIONS}",
    ),
    "an option of a paired test": (
        lambda: stats.paired_permutation([H, H], R, budget=10),
        "unknown option 'budget'; did you mean exact_budget? The options are exact_budget, "
        "iterations, interval_iterations, interval_method, two_tailed, adjust, within, power, "
        "alpha, documents, strata, seed, threads, distribution, "
        f"{OPTIONS}",
    ),
    "one system": (
        lambda: stats.paired_bootstrap({"A": H}, R),
        "there is one system; a paired test needs at least two",
    ),
    "no system": (
        lambda: stats.paired_bootstrap({}, R),
        "there are no systems; a paired test needs at least two",
    ),
    "a long name": (
        lambda: stats.paired_bootstrap({LONG: ["a"], "B": H}, R),
        f"{LONG[:77]}...: hypotheses has 1 item but references has 3; each hypothesis needs its "
        "own",
    ),
    "an option of an accumulator": (
        lambda: Accumulator(on_repeated="drop"),
        "unknown option 'on_repeated'; did you mean on_repeat? The options are threads, on_repeat, "
        f"{OPTIONS}",
    ),
    "an id twice": (
        lambda: Accumulator().update(["a", "b"], ["a", "b"], ids=[LONG, LONG]),
        f"ids[1] is '{LONG[:76]}..., which was counted before; on_repeat='drop' leaves repeats out",
    ),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "hyp.txt").write_text("the cat\n")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_line_of_a_mistake(mistake):
    call, line = MISTAKES[mistake]
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(line)}$"):
        call()
    assert len(line) < 500
    assert "\n" not in line


def test_fifty():
    assert len(MISTAKES) >= 50


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_table_of_several_columns(library):
    module = pytest.importorskip(library, reason=f"{library} is not needed by the package")
    make = module.table if library == "pyarrow" else module.DataFrame
    table = make({"mt": H, "ref": R})
    line = (
        "hypotheses is a table of 2 columns (mt, ref); choose one by its name, as in "
        "table['name'] or relation.select('name')"
    )
    for references in (R, table):
        with pytest.raises(TypeError, match=f"^{re.escape(line)}$"):
            chrf.corpus_score(table, references)
    wide = make({f"column {i}": H for i in range(1000)})
    with pytest.raises(TypeError, match="is a table of 1000 columns") as caught:
        chrf.corpus_score(wide, wide)
    assert len(str(caught.value)) < 500


def test_strings_of_pyarrow_in_a_list():
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not needed by the package")
    line = "hypotheses[0] is StringScalar, not a string; give .to_pylist() of the column"
    with pytest.raises(TypeError, match=f"^{re.escape(line)}$"):
        chrf.corpus_score(list(pyarrow.array(H)), R)


@pytest.mark.parametrize(
    "value",
    [LONG, LONG.encode(), [LONG], [0] * 10**5, {LONG: 1}],
    ids=["text", "bytes", "list", "numbers", "dict"],
)
def test_no_message_is_as_long_as_what_was_given(value):
    calls = [
        lambda name=name: chrf.corpus_score(H, R, **{name: value})
        for name in ("beta", "char_order", "lowercase", "averaging", "rule", "threads")
    ]
    calls += [
        lambda: Accumulator(on_repeat=value),
        lambda: Accumulator().update(["a"], ["a"], ids=[value, value]),
        lambda: stats.bootstrap_ci(H, R, seed=value, alpha=value),
        lambda: stats.bootstrap_ci(H, R, method=value),
        lambda: stats.paired_bootstrap([H, H], R, two_tailed=value),
        lambda: chrf.corpus_score(H, [value, value, 5]),
        lambda: chrf.corpus_score([value, value], R),
        lambda: chrf.corpus_score(value, R),
    ]
    if isinstance(value, str):
        calls.append(lambda: chrf.corpus_score(H, R, **{value: 1}))
    for call in calls:
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        assert len(str(caught.value)) < 500
