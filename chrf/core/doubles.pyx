# cython: language_level=3
# cython: freethreading_compatible=True
"""Counts -> the double nearest to the exact score, at array speed.

Each score is computed in double-double arithmetic (Dekker 1971; about 106 bits). Where a value
within its error bound could still round to two different doubles, it is left to the caller, who
computes it exactly: the filter of interval arithmetic, so that no result is ever in doubt.

The bound, with u = 2^-53 and each operation's error from Joldes, Muller and Popescu (2017): sum 3,
product 7, product with a double 3, quotient 17 u^2. All are relative and add up, since every number
is positive and nothing is subtracted.

- Any beta = p / q enters as two weights, w = p^2 / (p^2 + q^2) and v = q^2 / (p^2 + q^2), so that
  F = P R / (w P + v R). Each is the nearest double, and the one nearest to what is left: 1 u^2.
- A sum of at most 14 quotients of integers: 3 + 13 * 3 = 42 u^2. 100 P R: 42 + 42 + 7 + 3 = 94 u^2.
  k (w P + v R): 42 + 1 + 7 + 3 + 3 = 56 u^2. Quotient: 94 + 56 + 17 = 167 u^2, below 2^-98. The
  other two formulas have fewer operations.
- Nothing underflows: counts are below 2^31, and a beta of at most 100 digits has no weight below
  10^-200.
"""

from cpython cimport array
from libc.stdint cimport int64_t

from array import array as new_array

cdef extern from *:
    """
    #include <float.h>
    #if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
    #define CHRF_TRUE_DOUBLES 1
    #else
    #define CHRF_TRUE_DOUBLES 0     /* x87: every value is left to the exact path */
    #endif
    """
    const bint CHRF_TRUE_DOUBLES

cdef enum:
    MAX_ORDERS = 14                   # for which the error bound holds

cdef double ERROR = 2.0 ** -90        # 2^8 times the bound above
cdef int64_t LARGEST_COUNT = 1 << 31   # a power of two: no bit of a count is above it
cdef double LARGEST_DENOMINATOR = 2.0 ** 49
cdef double OPEN = -1                 # no score: the row is left to the exact path


cdef struct Pair:                     # the unevaluated sum high + low, |low| <= ulp(high) / 2
    double high
    double low


cdef inline Pair fast_two_sum(double a, double b) noexcept nogil:
    """Return a + b without error, for |a| >= |b|."""
    cdef double high = a + b
    return Pair(high, b - (high - a))


cdef inline Pair two_sum(double a, double b) noexcept nogil:
    """Return a + b without error (Knuth)."""
    cdef double high = a + b
    cdef double part = high - a
    return Pair(high, (a - (high - part)) + (b - part))


cdef inline Pair two_product(double a, double b) noexcept nogil:
    """Return a * b without error (Veltkamp's split, so that no fused multiply-add is needed)."""
    cdef double t = 134217729.0 * a
    cdef double a1 = t - (t - a)
    cdef double a2 = a - a1
    t = 134217729.0 * b
    cdef double b1 = t - (t - b)
    cdef double b2 = b - b1
    cdef double high = a * b
    return Pair(high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2)


cdef inline Pair add(Pair a, Pair b) noexcept nogil:
    cdef Pair s = two_sum(a.high, b.high)
    cdef Pair t = two_sum(a.low, b.low)
    s = fast_two_sum(s.high, s.low + t.high)
    return fast_two_sum(s.high, s.low + t.low)


cdef inline Pair multiply(Pair a, Pair b) noexcept nogil:
    cdef Pair p = two_product(a.high, b.high)
    return fast_two_sum(p.high, p.low + (a.high * b.low + a.low * b.high))


cdef inline Pair scale(Pair a, double b) noexcept nogil:
    cdef Pair p = two_product(a.high, b)
    return fast_two_sum(p.high, p.low + a.low * b)


cdef inline Pair quotient(double a, double b) noexcept nogil:
    """Return a / b for integers: the remainder of the first quotient is exact."""
    cdef double q = a / b
    cdef Pair p = two_product(q, b)
    return fast_two_sum(q, ((a - p.high) - p.low) / b)


cdef inline Pair divide(Pair a, Pair b) noexcept nogil:
    cdef double q = a.high / b.high
    cdef Pair p = scale(b, q)
    return fast_two_sum(q, ((a.high - p.high) + (a.low - p.low)) / b.high)


cdef bint f_of_small_means(
    const int64_t *c, Py_ssize_t orders, Pair w, Pair v, Pair *value
) noexcept nogil:
    """Compute `f_of_means` with few divisions; return False if common denominators get too large.

    P = n / d and R = m / e are brought to common denominators in doubles, which are exact up to
    2^53: no denominator passes 2^49, and a numerator is at most 14 times its denominator.
    """
    cdef double n = 0, d = 1, m = 0, e = 1, effective = 0
    cdef double h, r, matching
    cdef Py_ssize_t i
    for i in range(orders):
        if c[3 * i] and c[3 * i + 1]:
            h, r, matching = c[3 * i], c[3 * i + 1], c[3 * i + 2]
            effective += 1
            n = n * h + matching * d
            m = m * r + matching * e
            d *= h
            e *= r
            if d > LARGEST_DENOMINATOR or e > LARGEST_DENOMINATOR:
                return False
    value[0] = Pair(0, 0)
    if n != 0:
        value[0] = divide(
            scale(two_product(n, m), 100),
            scale(
                add(multiply(two_product(n, e), w), multiply(two_product(m, d), v)), effective
            ),
        )
    return True


cdef Pair f_of_means(const int64_t *c, Py_ssize_t orders, Pair w, Pair v) noexcept nogil:
    """Return 100 P R / (k (w P + v R)); P, R are sums over the k effective orders."""
    cdef Pair precision = Pair(0, 0), recall = Pair(0, 0)
    cdef Py_ssize_t i
    cdef double effective = 0
    for i in range(orders):
        if c[3 * i] and c[3 * i + 1]:
            effective += 1
            if c[3 * i + 2]:
                precision = add(precision, quotient(c[3 * i + 2], c[3 * i]))
                recall = add(recall, quotient(c[3 * i + 2], c[3 * i + 1]))
    if precision.high == 0:
        return precision
    return divide(
        scale(multiply(precision, recall), 100),
        scale(add(multiply(precision, w), multiply(recall, v)), effective),
    )


cdef Pair mean_of_f(const int64_t *c, Py_ssize_t orders, Pair w, Pair v) noexcept nogil:
    """Return 100 / orders times the sum of F = m / (w r + v h)."""
    cdef Pair total = Pair(0, 0)
    cdef Py_ssize_t i
    for i in range(orders):
        if c[3 * i + 2]:
            total = add(total, divide(Pair(c[3 * i + 2], 0),
                                      add(scale(w, c[3 * i + 1]), scale(v, c[3 * i]))))
    return divide(scale(total, 100), Pair(orders, 0))


def nearest(counts not None, Py_ssize_t orders, weights not None, bint per_order_f):
    """Score rows of counts, each to the nearest double.

    Parameters
    ----------
    counts : contiguous int64 buffer of one dimension
        For each row and order: hypothesis n-grams, reference n-grams, matches.
    orders : int
        Orders in a row, 1 to 14.
    weights : tuple of four float
        Of precision and of recall, beta^2 / (1 + beta^2) and 1 / (1 + beta^2), each as the nearest
        double and the double nearest to what is left (`Options.weights`).
    per_order_f : bool
        The mean of per-order F instead of the F of means.

    Returns
    -------
    values : array.array of type "d"
        Scores, 0 to 100, each the double nearest to the exact value unless listed in `open_rows`.
    open_rows : list of int
        Rows that must be scored exactly.

    Raises
    ------
    ValueError
        The counts do not make rows of `orders` orders.
    """
    cdef const int64_t[::1] c = counts
    cdef Py_ssize_t width, rows, row, i
    cdef array.array values
    cdef list open_rows = []
    cdef double *out
    cdef Pair w, v
    cdef int64_t bits
    cdef const int64_t *row_counts
    cdef Pair value
    cdef double error
    if not 1 <= orders <= MAX_ORDERS or c.shape[0] % (3 * orders):
        raise ValueError(f"{c.shape[0]} counts do not make rows of {orders} orders")
    w.high, w.low, v.high, v.low = weights
    width = 3 * orders
    rows = c.shape[0] // width
    values = array.clone(VALUES, rows, zero=False)
    out = values.data.as_doubles
    with nogil:
        for row in range(rows):
            row_counts = &c[row * width]
            bits = 0
            for i in range(width):
                bits |= row_counts[i]
            out[row] = OPEN
            if CHRF_TRUE_DOUBLES and 0 <= bits < LARGEST_COUNT:
                if per_order_f:
                    value = mean_of_f(row_counts, orders, w, v)
                elif not f_of_small_means(row_counts, orders, w, v, &value):
                    value = f_of_means(row_counts, orders, w, v)
                error = value.high * ERROR
                if (
                    value.high + (value.low - error) == value.high
                    and value.high + (value.low + error) == value.high
                ):
                    out[row] = value.high
    for row in range(rows):
        if out[row] == OPEN:
            open_rows.append(row)
    return values, open_rows


cdef array.array VALUES = new_array("d")
