from array import array
from typing import Any

__pyx_capi__: dict[str, Any]  # what chrf/kernel/count.pxd shares

def all_strings(items: list[Any]) -> bool: ...
def count(
    hypotheses: list[str],
    references: list[str],
    start: int,
    stop: int,
    char_order: int,
    word_order: int,
    whitespace: bool,
    threads: int = ...,
) -> array[int]: ...
def count_fields(
    hypotheses: bytes,
    hypothesis_spans: array[int],
    references: bytes,
    reference_spans: array[int],
    char_order: int,
    word_order: int,
    whitespace: bool,
) -> array[int]: ...
def add_up(counts: array[int], orders: int) -> tuple[list[int], list[int], int]: ...
