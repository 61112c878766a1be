"""The contracts on random inputs, against their schemas and a second opinion."""

import random
import string
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from chrf.contract import CONTRACTS, InvalidInput
from chrf.service.tools import find

OPTIONS = {id: list(CONTRACTS[id]["input_schema"]["properties"])[2:] for id in CONTRACTS}


def pair(**options):
    return {"hypotheses": ["aa"], "references": ["ab"], **options}


def schema_accepts(contract, which, value):
    return Draft202012Validator(CONTRACTS[contract][which]).is_valid(value)


ALPHABETS = ["ab", "ab .", "abAB,.! \t", "\u0391\u03a3\u03c3 .\u0130i", "\u4e2d\u6587\u3002\u3000"]
ALPHABETS += ["e\u0301\xe9 \U0001f600\u200b\x00\x85", string.printable]


def random_text(rng, alphabet):
    return "".join(rng.choices(alphabet, k=rng.choice([0, 1, 2, 3, 5, 8, 13, 40])))


def random_edit(rng, text, alphabet):
    symbols = list(text)
    for _ in range(rng.randrange(4)):
        symbols.insert(rng.randrange(len(symbols) + 1), rng.choice(alphabet))
        del symbols[rng.randrange(len(symbols))]
    return "".join(symbols)


def random_input(rng, contract):
    alphabet = rng.choice(ALPHABETS)
    references = [random_text(rng, alphabet) for _ in range(rng.choice([1, 2, 3, 9]))]
    hypotheses = [
        random_edit(rng, text, alphabet) if rng.random() < 0.7 else random_text(rng, alphabet)
        for text in references
    ]
    value = {"hypotheses": hypotheses, "references": references}
    choices = {
        "char_order": range(11),
        "word_order": range(5),
        "beta": range(1, 17),
        "lowercase": (False, True),
        "include_whitespace": (False, True),
        "averaging": ("precision_recall", "per_order_f"),
    }
    for name in OPTIONS[contract]:
        if rng.random() < 0.5:
            value[name] = rng.choice(choices[name])
    if not value.get("char_order", 6) and not value.get("word_order", 0):
        value["word_order"] = 2
    items = list(value.items())
    rng.shuffle(items)
    return dict(items)


def oracle_words(text):
    for word in text.split():
        if len(word) == 1:
            yield word
        elif word[-1] in string.punctuation:
            yield from (word[:-1], word[-1])
        elif word[0] in string.punctuation:
            yield from (word[0], word[1:])
        else:
            yield word


def oracle_counts(hypothesis, reference, options):
    """One (hypothesis, reference, matching) for each order of one segment."""
    for kind, largest in (("char", options["char_order"]), ("word", options["word_order"])):
        for n in range(1, largest + 1):
            grams = []
            for given in (hypothesis, reference):
                text = given.lower() if options["lowercase"] else given
                if kind == "word":
                    symbols = list(oracle_words(text))
                else:
                    symbols = list(text if options["include_whitespace"] else "".join(text.split()))
                grams.append(Counter(zip(*(symbols[i:] for i in range(n)), strict=False)))
            yield grams[0].total(), grams[1].total(), (grams[0] & grams[1]).total()


def oracle_f(precision, recall, beta):
    if not precision or not recall:
        return Fraction(0)
    # The weighted harmonic mean, written as such.
    return Fraction(1 + beta**2) / (1 / precision + beta**2 / recall)


def oracle_score(counts, options):
    effective = [(Fraction(m, h), Fraction(m, r)) for h, r, m in counts if h and r]
    if options["averaging"] == "per_order_f":
        total = sum((oracle_f(p, r, options["beta"]) for p, r in effective), Fraction(0))
        return 100 * total / len(counts)
    if not effective:
        return Fraction(0)
    means = [sum(values) / len(effective) for values in zip(*effective, strict=True)]
    return 100 * oracle_f(*means, options["beta"])


def oracle_decimals(value):
    """Six decimals, ties to even, by long division."""
    units, rest = divmod(value.numerator * 10**6, value.denominator)
    if 2 * rest > value.denominator or (2 * rest == value.denominator and units % 2):
        units += 1
    return f"{units // 10**6}.{units % 10**6:06d}"


def oracle(value):
    """The outputs of both contracts, as far as the counts decide them."""
    options = {
        "char_order": 6,
        "word_order": 0,
        "beta": 2,
        "lowercase": False,
        "include_whitespace": False,
        "averaging": "precision_recall",
        **value,
    }
    segments = [
        list(oracle_counts(h, r, options))
        for h, r in zip(value["hypotheses"], value["references"], strict=True)
    ]
    summed = [tuple(map(sum, zip(*order, strict=True))) for order in zip(*segments, strict=True)]
    return options, segments, summed


@pytest.mark.parametrize("seed", range(8))
def test_random_inputs(run, same, contract, seed):
    rng = random.Random(f"{contract} {seed}")
    for _ in range(50):
        value = random_input(rng, contract)
        assert schema_accepts(contract, "input_schema", value)
        output = run(contract, value)
        Draft202012Validator(CONTRACTS[contract]["output_schema"]).validate(output)
        assert list(output) == CONTRACTS[contract]["output_schema"]["required"]
        words = {"word_order": 2} if contract == "chrf-plus-plus-compute" else {}
        options, segments, summed = oracle({**value, **words})
        score = oracle_score(summed, options)
        assert output["score"] == oracle_decimals(score)
        assert output["score_fraction"] == f"{score.numerator}/{score.denominator}"
        assert output["segment_count"] == len(segments)
        for name in OPTIONS[contract]:
            assert same(output[name], options[name])
        if contract == "chrf-components":
            check_components(output, options, summed)
            continue
        assert output["segment_scores"] == [
            oracle_decimals(oracle_score(counts, options)) for counts in segments
        ]
        if words:
            for side, texts in (("hypothesis", "hypotheses"), ("reference", "references")):
                scored = [t.lower() if options["lowercase"] else t for t in value[texts]]
                assert output[f"{side}_tokens"] == [list(oracle_words(t)) for t in scored]


def check_components(output, options, summed):
    def text(numerator, denominator):
        ratio = Fraction(numerator, denominator)
        return f"{ratio.numerator}/{ratio.denominator}"

    names = [("char", n) for n in range(1, options["char_order"] + 1)]
    names += [("word", n) for n in range(1, options["word_order"] + 1)]
    weight = options["beta"] ** 2
    properties = CONTRACTS["chrf-components"]["output_schema"]["properties"]
    for order, name, (h, r, m) in zip(output["orders"], names, summed, strict=True):
        assert list(order) == properties["orders"]["items"]["required"]
        assert tuple(order.values()) == (
            *name,
            h,
            r,
            m,
            bool(h and r),
            text(m, h) if h else None,
            text(m, r) if r else None,
            # F in counts: (1 + b^2) m / (b^2 r + h)
            text((1 + weight) * m, weight * r + h) if h and r else None,
        )
    effective = [(Fraction(m, h), Fraction(m, r)) for h, r, m in summed if h and r]
    assert output["effective_order_count"] == len(effective)
    for key, i in (("average_precision", 0), ("average_recall", 1)):
        total = sum((row[i] for row in effective), Fraction(0))
        assert output[key] == text(total, max(len(effective), 1))


ATOMS = [None, True, False, 0, 1, 2, 6, 16, 17, -1, 2.0, 2.5, 1e300, float("nan"), float("inf")]
ATOMS += [10**5000, "", "a", "per_order_f", "precision_recall", "\ud800", "b\x00", "\U0001f600"]
ATOMS += [(), b"", 1j, Fraction(1, 2), np.int64(2), np.str_("a"), object]


def garbage(rng, depth=3):
    kind = rng.random() if depth else 1
    if kind < 0.25:
        return [garbage(rng, depth - 1) for _ in range(rng.randrange(4))]
    if kind < 0.4:
        keys = [
            "hypotheses",
            "references",
            *OPTIONS["chrf-components"],
            "",
            1,
            None,
            "\udfff",
            ("a",),
        ]
        return {rng.choice(keys): garbage(rng, depth - 1) for _ in range(rng.randrange(4))}
    return rng.choice(ATOMS)


@pytest.mark.parametrize("seed", range(5))
def test_garbage_gives_a_result_or_invalid_input(contract, seed):
    rng = random.Random(f"garbage {contract} {seed}")
    results = 0
    for _ in range(1000):
        value = garbage(rng)
        if rng.random() < 0.9:
            value = pair()
            for name in rng.choices([*value, *OPTIONS[contract]], k=rng.choice([1, 1, 2])):
                value[name] = garbage(rng, depth=2)
        try:
            output = find(contract, "1.0.0")(value)
        except InvalidInput:
            continue
        assert schema_accepts(contract, "output_schema", output)
        results += 1
    assert 5 < results < 900
