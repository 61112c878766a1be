from array import array
from typing import Literal

_Problem = tuple[Literal["fields", "loose", "open"], int, int, int]

def whole_records(block: bytes, inside: bool) -> tuple[int, bool]: ...
def first_record(block: bytes) -> tuple[list[bytes] | None, int]: ...
def split_records(
    block: bytes, width: int, used: list[int]
) -> tuple[bytes, list[array[int]], array[int], _Problem | None]: ...
