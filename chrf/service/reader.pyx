# cython: language_level=3
# cython: freethreading_compatible=True
"""JSON -> the two levels that a contract looks at; what is deeper is checked and dropped.

Read as ``json.loads`` does, with its errors at its places. But half a megabyte of brackets makes a
tree of a quarter of a million lists, 40 MB and a tenth of a second of processor time, just to
answer that the input is an array. Here it makes an empty list.
"""

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ
from libc.stdint cimport uint8_t

import sys
from collections import Counter
from itertools import repeat
from json import JSONDecodeError
from json.decoder import scanstring

from chrf.contract import InvalidInput

cdef enum:
    DEEPEST = 1000  # arrays and objects in each other: where json.loads gives up, more or less
    KEPT = 2  # levels of containers whose items are kept
    MAX_DIGITS = 30  # longer integers are cut: no contract allows more than two digits

cdef Py_UCS4 NOTHING = 0x110000  # the character after the last
cdef bint NAMES_TRAILING_COMMAS = sys.version_info >= (3, 13)


cdef Py_ssize_t plain_end(
    int kind, const void *data, Py_ssize_t i, Py_ssize_t size
) noexcept:
    """Return the place of the first character from `i` on that does not stand for itself."""
    cdef Py_UCS4 c
    if kind == 1:
        while i < size:
            c = (<const uint8_t *>data)[i]
            if c == c'"' or c == c"\\" or c < 32:
                break
            i += 1
        return i
    while i < size:
        c = PyUnicode_READ(kind, data, i)
        if c == c'"' or c == c"\\" or c < 32:
            break
        i += 1
    return i


cdef class _Reader:
    """A document, how far it is read, and the containers that are open there."""
    cdef str text
    cdef const void *data
    cdef int kind
    cdef Py_ssize_t size, at, depth
    cdef uint8_t opened[DEEPEST + 1]  # by depth, from 1: the bracket
    cdef list keys  # of each open object: None, its one key, or a list of its keys
    cdef str last_key
    cdef list kept  # by depth: the dict or list that takes the items there, or None
    cdef Py_ssize_t items, most_items  # of an array at the deepest level that is kept
    cdef object result

    def __cinit__(self, str text not None, Py_ssize_t most_items):
        self.text = text
        self.data = PyUnicode_DATA(text)
        self.kind = PyUnicode_KIND(text)
        self.size = len(text)
        self.at = self.depth = self.items = 0
        self.most_items = most_items
        self.last_key = ""
        self.keys = []
        self.kept = [None] * (KEPT + 1)
        self.result = None

    cdef Py_UCS4 peek(self) noexcept:
        return PyUnicode_READ(self.kind, self.data, self.at) if self.at < self.size else NOTHING

    cdef bint at_digit(self) noexcept:
        return c"0" <= self.peek() <= c"9"

    cdef Py_UCS4 skip_whitespace(self) noexcept:
        """Go to the next character that is not whitespace; return it."""
        cdef Py_UCS4 c = self.peek()
        while c == c" " or c == c"\n" or c == c"\r" or c == c"\t":
            self.at += 1
            c = self.peek()
        return c

    cdef object error(self, str message, Py_ssize_t place):
        return JSONDecodeError(message, self.text, place)

    cdef bint keeps(self) noexcept:
        """Whether the value that begins here is kept."""
        if self.depth == KEPT and self.items > self.most_items:
            return False
        return not self.depth or self.depth <= KEPT and self.kept[self.depth] is not None

    cdef int put(self, object value) except -1:
        """Put a value into the container where it stands."""
        if not self.depth:
            self.result = value
        elif self.opened[self.depth] == c"{":
            (<dict>self.kept[1])[self.last_key] = value
        else:
            (<list>self.kept[KEPT]).append(value)
        return 0

    # --- containers -----------------------------------------------------------------------------

    cdef int open(self, Py_UCS4 bracket) except -1:
        """Enter an array or object."""
        cdef bint keeps = self.keeps()
        value = None
        if keeps:
            value = [] if bracket == c"[" else {}
            self.put(value)
        self.at += 1
        self.depth += 1
        if self.depth > DEEPEST:
            raise RecursionError
        self.opened[self.depth] = <uint8_t>bracket
        if self.depth <= KEPT:
            # Items are kept of the object at the top, and of the arrays in it.
            if bracket != <Py_UCS4>(c"{" if self.depth == 1 else c"["):
                value = None
            self.kept[self.depth] = value
            self.items = 0
        if bracket == c"{":
            self.keys.append(None)
        return 0

    cdef int close(self) except -1:
        """Leave an array or object at its closing bracket."""
        if self.opened[self.depth] == c"{":
            keys = self.keys.pop()
            if type(keys) is list and len(set(keys)) < len(keys):
                ((twice, _),) = Counter(keys).most_common(1)
                raise InvalidInput(
                    f"the input is not JSON: the key {twice[:40]!a} appears twice in an object"
                )
        elif self.depth == KEPT and self.kept[KEPT] is not None:
            kept = <list>self.kept[KEPT]
            kept.extend(repeat(None, self.items - len(kept)))
        self.at += 1
        self.depth -= 1
        return 0

    cdef int key(self) except -1:
        """Read a key and its colon."""
        if self.peek() != c'"':
            raise self.error("Expecting property name enclosed in double quotes", self.at)
        key = self.last_key = self.string(True)
        innermost = len(self.keys) - 1
        others = self.keys[innermost]
        if type(others) is list:
            (<list>others).append(key)
        else:
            self.keys[innermost] = key if others is None else [others, key]
        if self.skip_whitespace() != c":":
            raise self.error("Expecting ':' delimiter", self.at)
        self.at += 1
        self.skip_whitespace()
        return 0

    # --- values ---------------------------------------------------------------------------------

    cdef int value(self) except -1:
        """Read a value, down to its first scalar or empty container."""
        cdef Py_UCS4 c
        while True:
            if self.depth == KEPT:
                self.items += 1
            c = self.peek()
            if c == c"{":
                self.open(c)
                if self.skip_whitespace() == c"}":
                    return self.close()
                self.key()
            elif c == c"[":
                self.open(c)
                if self.skip_whitespace() == c"]":
                    return self.close()
            elif c == c'"':
                text = self.string(self.keeps())
                return self.put(text) if text is not None else 0
            elif c == c"-" or self.at_digit():
                return self.number()
            else:
                return self.word()

    cdef int rest(self) except -1:
        """Read what comes after a value: all that is left of the document."""
        cdef Py_UCS4 c, closing
        cdef Py_ssize_t comma
        while self.depth:
            closing = c"]" if self.opened[self.depth] == c"[" else c"}"
            c = self.skip_whitespace()
            if c == closing:
                self.close()
                continue
            if c != c",":
                raise self.error("Expecting ',' delimiter", self.at)
            comma = self.at
            self.at += 1
            if self.skip_whitespace() == closing and NAMES_TRAILING_COMMAS:
                name = "array" if closing == c"]" else "object"
                raise self.error(f"Illegal trailing comma before end of {name}", comma)
            if closing == c"}":
                self.key()
            self.value()
        if self.skip_whitespace() != NOTHING:
            raise self.error("Extra data", self.at)
        return 0

    cdef str string(self, bint wanted):
        """Read a string; return it if it is wanted, else None."""
        cdef Py_ssize_t start = self.at + 1
        cdef Py_ssize_t end = plain_end(self.kind, self.data, start, self.size)
        if end < self.size and PyUnicode_READ(self.kind, self.data, end) == c'"':
            self.at = end + 1
            return self.text[start:end] if wanted else None
        text, self.at = scanstring(self.text, start, True)
        return text if wanted else None

    cdef int number(self) except -1:
        cdef Py_ssize_t start = self.at, end
        cdef bint fraction = False
        if self.peek() == c"-":
            if self.text.startswith("-Infinity", start):
                raise not_json("-Infinity")
            self.at += 1
        if not self.at_digit():
            raise self.error("Expecting value", start)
        if self.peek() == c"0":
            self.at += 1
        else:
            self.skip_digits()
        end = self.at
        if self.peek() == c".":
            self.at += 1
            if self.skip_digits():
                fraction, end = True, self.at
        self.at = end
        if self.peek() == c"e" or self.peek() == c"E":
            self.at += 1
            if self.peek() == c"+" or self.peek() == c"-":
                self.at += 1
            if self.skip_digits():
                fraction, end = True, self.at
        self.at = end
        if not self.keeps():
            return 0
        digits = self.text[start:end]
        return self.put(float(digits) if fraction else int(digits[:MAX_DIGITS]))

    cdef bint skip_digits(self) noexcept:
        """Skip digits; return whether there was one."""
        cdef Py_ssize_t start = self.at
        while self.at_digit():
            self.at += 1
        return self.at > start

    cdef int word(self) except -1:
        """Read null, true or false; raise for everything that is no value."""
        for word, value in (("null", None), ("true", True), ("false", False)):
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return self.put(value) if self.keeps() else 0
        for word in ("NaN", "Infinity"):
            if self.text.startswith(word, self.at):
                raise not_json(word)
        raise self.error("Expecting value", self.at)


cdef object not_json(str constant):
    return InvalidInput(f"the input is not JSON: {constant} is not a JSON value")


def count_values(const unsigned char[::1] body not None):
    """Count the values of a JSON document, more or less: the commas and brackets outside strings.

    Parameters
    ----------
    body : bytes-like
        Anything at all.

    Returns
    -------
    int
        For JSON, at least the number of its values less one, and at most twice that number.
    """
    cdef Py_ssize_t i = 0, size = body.shape[0], count = 0
    cdef bint inside = False
    cdef unsigned char c
    with nogil:
        while i < size:
            c = body[i]
            if inside and c == c"\\":
                i += 1
            elif c == c'"':
                inside = not inside
            elif not inside and (c == c"," or c == c"[" or c == c"{"):
                count += 1
            i += 1
    return count


def read_json(str text not None, Py_ssize_t most_items):
    """Read a JSON document, of which only the upper levels are kept.

    Parameters
    ----------
    text : str
    most_items : int
        How many items of an array are kept; those after them become None.

    Returns
    -------
    object
        The value as ``json.loads`` makes it, with these differences: an array is empty, unless it
        is a member of the object at the top; an object is empty, unless it is at the top; integers
        have 30 digits at most.

    Raises
    ------
    json.JSONDecodeError
        As ``json.loads`` raises it.
    InvalidInput
        NaN or Infinity, or a key twice in an object.
    RecursionError
        More than 1000 arrays and objects in each other.
    """
    reader = _Reader(text, most_items)
    if text.startswith("\ufeff"):
        raise JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", text, 0)
    reader.skip_whitespace()
    reader.value()
    reader.rest()
    return reader.result
