from array import array
from typing import Any

def nearest(
    counts: Any,
    orders: int,
    beta_numerator: int,
    beta_denominator: int,
    per_order_f: bool,
) -> tuple[array[float], list[int]]: ...
