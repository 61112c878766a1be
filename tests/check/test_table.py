"""The table of properties is what its script makes, and what others say of Unicode."""

import re
import runpy
import sys
import unicodedata
from pathlib import Path

import pytest
import regex

from chrf.check import properties

MAKE = runpy.run_path(str(Path(__file__).with_name("make_table.py")))
TABLE = Path(properties.__file__).read_text(encoding="utf-8")
EVERYTHING = "".join(map(chr, range(sys.maxunicode + 1)))
# What Unicode 14 and later added to the properties of the table.
NEWER = {"DASH": {"\u2e5d", "\U00010d6e"}}


def members(name):
    return set(re.findall(f"[{getattr(properties, name)}]", EVERYTHING))


def test_it_is_what_the_script_makes():
    version = re.search(r"from Unicode (\S+);", TABLE)[1]
    if unicodedata.unidata_version == version:
        assert MAKE["table"]() == TABLE
    for name, (_, points) in MAKE["properties"]().items():
        assert set(map(chr, points)) - members(name) <= NEWER.get(name, set()), name
        assert members(name) <= set(map(chr, points)), name


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("DEFAULT_IGNORABLE", r"\p{Default_Ignorable_Code_Point}"),
        ("BIDI_CONTROL", r"\p{Bidi_Control}"),
        ("VARIATION_SELECTOR", r"\p{Variation_Selector}"),
        ("CONTROL", r"\p{Cc}"),
        ("SURROGATE", r"\p{Cs}"),
        ("PRIVATE_USE", r"\p{Co}"),
        ("NONCHARACTER", r"\p{Noncharacter_Code_Point}"),
        ("DASH", r"\p{Dash}"),
        ("QUOTATION_MARK", r"\p{Quotation_Mark}"),
    ],
)
def test_it_is_what_regex_says(name, pattern):
    """An independent copy of the Unicode data: the library regex, which NLTK brings."""
    theirs = set(regex.findall(pattern, EVERYTHING))
    assert members(name) <= theirs
    assert theirs - members(name) <= NEWER.get(name, set())
