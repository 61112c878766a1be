from array import array
from typing import Any

def nearest(
    counts: Any,
    orders: int,
    weights: tuple[float, float, float, float],
    per_order_f: bool,
) -> tuple[array[float], list[int]]: ...
