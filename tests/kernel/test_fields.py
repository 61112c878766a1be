"""Fields of bytes: counted where they stand, and added up."""

import random
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chrf.kernel import count as kernel
from chrf.kernel import reference

SCALARS = st.characters(exclude_categories=["Cs"])
SEGMENTS = st.lists(
    st.tuples(st.text(SCALARS, max_size=40), st.text(SCALARS, max_size=40)), max_size=4
)


def packed(texts):
    """The texts as a block and spans, with something between them."""
    block, spans = b"", array("q")
    for text in texts:
        data = text.encode()
        spans.extend((len(block), len(block) + len(data)))
        block += data + b"|"
    return block, spans


@given(SEGMENTS, st.integers(1, 8), st.integers(0, 2), st.booleans())
def test_fields_count_as_strings_do(segments, char_order, word_order, whitespace):
    hypotheses, references = [h for h, _ in segments], [r for _, r in segments]
    expected = reference.count(
        hypotheses, references, 0, len(segments), char_order, word_order, whitespace
    )
    for engine in (reference, kernel):
        found = engine.count_fields(
            *packed(hypotheses), *packed(references), char_order, word_order, whitespace
        )
        assert found == expected


@pytest.mark.parametrize("engine", [reference, kernel])
@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        ([0, 1], [0, 1, 1, 2], "there are 1 hypotheses but 2 references"),
        ([0, 4], [0, 1], "hypotheses[0] lies outside of the block"),
        ([0, 1, 1, 0], [0, 1, 0, 1], "hypotheses[1] lies outside of the block"),
        ([0, 1], [-1, 1], "references[0] lies outside of the block"),
    ],
)
def test_spans_that_do_not_fit_are_refused(engine, hypotheses, references, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the whole text is compared)
        engine.count_fields(
            b"abc", array("q", hypotheses), b"abc", array("q", references), 6, 0, False
        )
    assert str(caught.value) == message


@pytest.mark.parametrize("engine", [reference, kernel])
def test_spans_of_another_type_are_refused(engine):
    with pytest.raises(ValueError, match=r"the spans of hypotheses have the type 'i', not 'q'"):
        engine.count_fields(b"abc", array("i", [0, 1]), b"abc", array("q", [0, 1]), 6, 0, False)


def test_add_up():
    rng = random.Random(1)
    for orders in (1, 2, 6, 14):
        for rows in (0, 1, 7, 100):
            counts = array("q", [rng.choice([0, 0, 1, 5, 2**40]) for _ in range(3 * orders * rows)])
            assert kernel.add_up(counts, orders) == reference.add_up(counts, orders)
            sums, left_out, short = kernel.add_up(counts, orders)
            table = [counts[i : i + 3] for i in range(0, len(counts), 3)]
            assert sums == [
                sum(row[k] for row in table[o::orders]) for o in range(orders) for k in range(3)
            ]
            assert left_out == [
                sum(h for h, r, _ in table[o::orders] if r == 0) for o in range(orders)
            ]
            segments = [table[i : i + orders] for i in range(0, len(table), orders)]
            assert short == sum(any(h and not r for h, r, _ in segment) for segment in segments)


@pytest.mark.parametrize("engine", [reference, kernel])
@pytest.mark.parametrize(("numbers", "orders"), [([1, 2], 1), ([1, 2, 3], 0), ([1, 2, 3], 15)])
def test_counts_that_make_no_rows_are_refused(engine, numbers, orders):
    with pytest.raises(
        ValueError, match=f"^{len(numbers)} counts do not make rows of {orders} orders$"
    ):
        engine.add_up(array("q", numbers), orders)
