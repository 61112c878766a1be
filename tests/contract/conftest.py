"""What the tests of the contracts share: a call that leaves its input alone, and its message."""

import copy
import math

import pytest

from chrf.contract import CONTRACTS, InvalidInput
from chrf.service.tools import find


@pytest.fixture(params=sorted(CONTRACTS))
def contract(request):
    return request.param


@pytest.fixture(scope="session")
def same():
    """Whether values are equal in value and type, NaN equal to itself, keys in the same order."""

    def compare(a, b):
        if type(a) is not type(b):
            return False
        if isinstance(a, dict):
            return compare(list(a.items()), list(b.items()))
        if isinstance(a, (list, tuple)):
            return len(a) == len(b) and all(map(compare, a, b))
        return bool(a == b) or (isinstance(a, float) and math.isnan(a))

    return compare


@pytest.fixture(scope="session")
def run(same):
    """Call a contract; the input must come out as it went in, on errors too."""

    def call(contract, value):
        before = copy.deepcopy(value)
        try:
            return find(contract, "1.0.0")(value)
        finally:
            assert same(value, before)

    return call


@pytest.fixture(scope="session")
def error(run):
    """Call a contract with an input that it does not allow; the message."""

    def call(contract, value):
        with pytest.raises(InvalidInput) as caught:
            run(contract, value)
        message = str(caught.value)
        assert caught.value.code == "invalid_input"
        assert message.isascii()
        assert message.isprintable()
        assert 10 < len(message) < 400
        return message

    return call
