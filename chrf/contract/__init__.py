"""The contracts chrf-compute, chrf-plus-plus-compute and chrf-components: plain dicts in and out.

The input holds what ``json.loads`` makes (dict, list, str, int, float, bool, None) and nothing
else: a tuple, a numpy integer or a subclass of one of these raises. So no code of the caller's runs
in here, and an invalid input can only raise `InvalidInput`.

`CONTRACTS` holds the machine-readable contract of each id, as plain JSON values that share
nothing with each other. Copy one (``copy.deepcopy``) before adding to it; the functions do not read
it again, so nothing that is done to it changes what they accept or return.

Inside: `tools` has the functions, `validation` the checks in their order, `contracts` what each
contract says, with its `schemas` and `examples`.
"""

from chrf.contract.contracts import CONTRACTS
from chrf.contract.tools import chrf_components, chrf_compute, chrf_plus_plus_compute
from chrf.contract.validation import InvalidInput

__all__ = [
    "CONTRACTS",
    "InvalidInput",
    "chrf_components",
    "chrf_compute",
    "chrf_plus_plus_compute",
]
