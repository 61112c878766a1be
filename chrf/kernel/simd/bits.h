/* All orders of two short texts at once, by sets of positions: included once for each width.

   A set of reference positions is a word of 64 bits. Lane by lane, a vector holds such sets for
   several orders. For each hypothesis position, the set of order n has the reference positions
   where the n-gram stands that ends there:

       set_n = (positions of the symbol, n - 1 earlier) & (set_{n-1} of the position before)

   An order is matched by the first position of its set that is still free, and takes it; so each
   of the hypothesis' occurrences finds a free one until min(occurrences) are used up. At the end
   the positions that were taken are counted. There is no branch, and no hash.

   WIDTH     name of the width
   LANES     words of a vector
   TARGET    attribute of the functions

   Order n stands in vector (n - 1) % vectors, lane (n - 1) / vectors, so that only the first
   vector of a step takes its lanes from their neighbours. */

#if LANES == 1
typedef uint64_t VECTOR;
#else
typedef uint64_t VECTOR __attribute__((vector_size(8 * LANES)));
#endif

/* Add to `matching` what the text matches. The positions of symbol s are `words` words from
   masks + s * words on; the last orders - 1 positions of a word are the first of the next. */
TARGET CHRF_INLINE void STEPS(
    const uint16_t *text, ptrdiff_t length, const uint64_t *masks, int words, int vectors,
    int orders, int64_t *matching
) {
    const VECTOR zero = {0}, ones = ~zero, one = zero + 1, begins = ones >> (orders - 1);
    VECTOR sets[CHRF_MOST_WORDS * (8 / LANES)], left[CHRF_MOST_WORDS * (8 / LANES)];
    VECTOR behind = zero, carry[8 / LANES];
#if LANES > 1
    for (int lane = 0; lane < LANES; lane++) behind[lane] = lane * vectors;
#endif
    for (int k = 0; k < words * vectors; k++) sets[k] = zero;
    for (int k = 0; k < words * vectors; k++) left[k] = k / vectors + 1 < words ? begins : ones;
    for (ptrdiff_t i = 0; i < length; i++) {
        const uint64_t *mask = masks + text[i] * (size_t)words;
        for (int v = 0; v < vectors; v++) carry[v] = one;
        CHRF_UNROLL
        for (int w = 0; w < words; w++) {
            VECTOR *set = sets + w * vectors, *free = left + w * vectors;
            const VECTOR positions = (zero + mask[w]) >> behind;
            const VECTOR first = NEXT_LANE(ones, set[vectors - 1]);
            CHRF_UNROLL
            for (int v = vectors - 1; v >= 0; v--) {
                set[v] = (positions >> v) & (v ? set[v - 1] : first);
                /* Take the lowest bit of `found` where `carry` is 1, and nothing where it is 0;
                   the carry stays 1 for the next word where nothing was found. */
                const VECTOR found = set[v] & free[v], lower = found - carry[v];
                free[v] ^= found & ~lower;
                if (w + 1 < words) carry[v] = (~found & lower) >> 63;
            }
        }
    }
    for (int v = 0; v < vectors; v++) {
        VECTOR sum = zero;
        for (int w = 0; w < words; w++) {
            VECTOR x = left[w * vectors + v] ^ (w + 1 < words ? begins : ones);
            x -= x >> 1 & 0x5555555555555555;
            x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
            sum += (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F;      /* a byte has at most 8 of a word */
        }
        sum = (sum & 0x00FF00FF00FF00FF) + (sum >> 8 & 0x00FF00FF00FF00FF);
        for (int lane = 0; lane < LANES; lane++) {
            const int order = lane * vectors + v;
            if (order < orders) matching[order] += LANE(sum, lane) * 0x0001000100010001 >> 48;
        }
    }
}

TARGET CHRF_INLINE void STEPS_OF_WORDS(
    const uint16_t *text, ptrdiff_t length, const uint64_t *masks, int words, int vectors,
    int orders, int64_t *matching
) {
    switch (words) {
        case 1: STEPS(text, length, masks, 1, vectors, orders, matching); break;
        case 2: STEPS(text, length, masks, 2, vectors, orders, matching); break;
        case 3: STEPS(text, length, masks, 3, vectors, orders, matching); break;
        default: STEPS(text, length, masks, words, vectors, orders, matching);
    }
}

TARGET static void MATCH(
    const uint16_t *text, ptrdiff_t length, const uint64_t *masks, int words, int orders,
    int64_t *matching
) {
    switch ((orders + LANES - 1) / LANES) {
        case 1: STEPS_OF_WORDS(text, length, masks, words, 1, orders, matching); break;
#if LANES < 8
        case 2: STEPS_OF_WORDS(text, length, masks, words, 2, orders, matching); break;
#endif
#if LANES < 4
        case 3: STEPS_OF_WORDS(text, length, masks, words, 3, orders, matching); break;
        case 4: STEPS_OF_WORDS(text, length, masks, words, 4, orders, matching); break;
#endif
#if LANES < 2
        case 5: STEPS_OF_WORDS(text, length, masks, words, 5, orders, matching); break;
        case 6: STEPS_OF_WORDS(text, length, masks, words, 6, orders, matching); break;
        case 7: STEPS_OF_WORDS(text, length, masks, words, 7, orders, matching); break;
        case 8: STEPS_OF_WORDS(text, length, masks, words, 8, orders, matching); break;
#endif
    }
}

#undef WIDTH
#undef LANES
#undef TARGET
#undef NEXT_LANE
