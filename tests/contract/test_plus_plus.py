"""The contract chrf-plus-plus-compute, beside its neighbours and sacreBLEU.

The other files of this folder have what all contracts share.
"""

import copy
import json
import random

import pytest
from jsonschema import Draft202012Validator

import chrf
from chrf.contract import (
    CONTRACTS,
    InvalidInput,
    chrf_components,
    chrf_compute,
    chrf_plus_plus_compute,
)
from chrf.kernel import reference

CONTRACT = CONTRACTS["chrf-plus-plus-compute"]
ALPHABETS = ["ab .", "abAB,.! \t", "\u0391\u03a3\u03c3 .\u0130i", "\u4e2d\u6587\u3002\u3000 ."]
ALPHABETS += ["e\u0301\xe9 \U0001f600\u200b\x00\x85-", '"(x) [y]!?']


def random_input(rng):
    alphabet = rng.choice(ALPHABETS)

    def text():
        return "".join(rng.choices(alphabet, k=rng.choice([0, 1, 2, 5, 13, 40])))

    references = [text() for _ in range(rng.choice([1, 2, 9]))]
    hypotheses = [rng.choice([text(), each, each[:-1] + ".", each + "a"]) for each in references]
    value = {"hypotheses": hypotheses, "references": references}
    if rng.random() < 0.5:
        value["beta"] = rng.randint(1, 16)
    if rng.random() < 0.5:
        value["lowercase"] = rng.random() < 0.7
    return value


def inputs(count):
    rng = random.Random("plus plus")
    return [random_input(rng) for _ in range(count)]


def test_example():
    (example,) = CONTRACT["examples"]
    output = chrf_plus_plus_compute(example["input"])
    assert json.dumps(output) == json.dumps(example["output"])


def test_it_says_whose_it_is():
    assert "This contract is the chrf project's own." in CONTRACT["description"]
    assert "another service may have a tool of this name" in CONTRACT["semantics"][0]


def test_shape_is_that_of_compute_with_words():
    neighbour = CONTRACTS["chrf-compute"]
    assert list(CONTRACT) == list(neighbour)
    assert CONTRACT["input_schema"] == neighbour["input_schema"]
    assert CONTRACT["limits"] == neighbour["limits"]
    properties = copy.deepcopy(CONTRACT["output_schema"]["properties"])
    tokens = {"type": "array", "items": {"type": "string", "minLength": 1}}
    for name in ("reference_tokens", "hypothesis_tokens"):
        assert properties.popitem() == (
            name,
            {"type": "array", "minItems": 1, "maxItems": 256, "items": tokens},
        )
    assert properties.pop("word_order") == {"type": "integer", "const": 2}
    assert properties.pop("metric") == {"type": "string", "const": "chrF++"}
    theirs = copy.deepcopy(neighbour["output_schema"]["properties"])
    del theirs["word_order"], theirs["metric"]
    assert properties == theirs
    for which in ("input_schema", "output_schema"):
        Draft202012Validator.check_schema(CONTRACT[which])


def test_scores_are_those_of_components():
    validator = Draft202012Validator(CONTRACT["output_schema"])
    for value in inputs(300):
        before = copy.deepcopy(value)
        output = chrf_plus_plus_compute(value)
        assert value == before
        validator.validate(output)
        assert list(output) == CONTRACT["output_schema"]["required"]
        components = chrf_components({**value, "word_order": 2})
        for name in ("score", "score_fraction", "segment_count", "beta", "lowercase"):
            assert output[name] == components[name]
        assert (output["metric"], output["char_order"], output["word_order"]) == ("chrF++", 6, 2)
        for i, score in enumerate(output["segment_scores"]):
            alone = {key: [value[key][i]] for key in ("hypotheses", "references")}
            assert score == chrf_components({**value, **alone, "word_order": 2})["score"]


def test_tokens_are_those_that_were_counted():
    for value in inputs(300):
        output = chrf_plus_plus_compute(value)
        sides = (output["hypothesis_tokens"], output["reference_tokens"])
        for texts, tokens in zip((value["hypotheses"], value["references"]), sides, strict=True):
            for text, words in zip(texts, tokens, strict=True):
                scored = text.lower() if value.get("lowercase") else text
                assert words == reference.words(scored)
                # Tokens hold every code point that is not whitespace, in order.
                assert "".join(words) == "".join(scored.split())
        unigrams = chrf_components({**value, "char_order": 0, "word_order": 1})["orders"][0]
        assert unigrams["hypothesis_ngrams"] == sum(map(len, sides[0]))
        assert unigrams["reference_ngrams"] == sum(map(len, sides[1]))


def test_words_of_chrf_plus_plus():
    texts = ["(hi) wait... 'Yes.' !", " \t", "\u3000don't\x85stop\u2028", "\u4e2d\u6587\u3002", ""]
    output = chrf_plus_plus_compute({"hypotheses": texts, "references": texts})
    assert output["hypothesis_tokens"] == output["reference_tokens"]
    assert output["hypothesis_tokens"] == [
        ["(hi", ")", "wait..", ".", "'Yes.", "'", "!"],
        [],
        ["don't", "stop"],
        ["\u4e2d\u6587\u3002"],
        [],
    ]
    assert output["segment_scores"][1] == output["segment_scores"][4] == "0.000000"


def test_sacrebleu_agrees():
    metric = pytest.importorskip("sacrebleu.metrics").CHRF(word_order=2)
    compared = 0
    for value in inputs(200):
        value.pop("lowercase", None)
        metric.beta = value.get("beta", 2)
        output = chrf_plus_plus_compute(value)
        for i, score in enumerate(output["segment_scores"]):
            theirs = metric.sentence_score(value["hypotheses"][i], [value["references"][i]])
            assert float(score) == pytest.approx(theirs.score, abs=1e-6)
            compared += 1
    assert compared > 300


def test_identical_texts_score_100_and_the_score_is_not_that_of_chrf():
    value = {"hypotheses": ["the cat sat."], "references": ["the cat sat."]}
    assert chrf_plus_plus_compute(value)["score_fraction"] == "100/1"
    value["references"] = ["the cat sits."]
    output = chrf_plus_plus_compute(value)
    assert output["score"] != chrf_compute(value)["score"]
    assert output["score"] == str(chrf.corpus_score(*value.values(), word_order=2))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"word_order": 2}, "unknown key 'word_order'; the keys of chrf-plus-plus-compute are"),
        ({"hypotheses": []}, "hypotheses is empty"),
        ({"hypotheses": ["a", "b"]}, "there are 2 hypotheses but 1 references"),
        ({"hypotheses": ["\ud800"], "beta": 0}, "hypotheses[0] has the lone surrogate U+D800"),
        ({"beta": 17, "lowercase": 1}, "beta is 17; it must be an integer from 1 to 16"),
        ({"lowercase": 1}, "lowercase is 1; it must be true or false"),
    ],
)
def test_refused(changes, said):
    with pytest.raises(InvalidInput) as caught:
        chrf_plus_plus_compute({"hypotheses": ["a"], "references": ["b"], **changes})
    assert str(caught.value).startswith(said)
