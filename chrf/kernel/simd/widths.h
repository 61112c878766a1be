/* The matcher in every width that this compiler can make, the widest first. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if (defined(__GNUC__) || defined(__clang__)) && !defined(CHRF_ONLY_SCALAR)
#define CHRF_VECTORS
#endif
#if defined(__GNUC__) || defined(__clang__)
#define CHRF_INLINE static inline __attribute__((always_inline))
#else
#define CHRF_INLINE static __inline
#endif
#if defined(__GNUC__) && !defined(__clang__)
#define CHRF_UNROLL _Pragma("GCC unroll 8")
#else
#define CHRF_UNROLL                    /* clang unrolls them anyway */
#endif

enum { CHRF_MOST_WORDS = 16 };         /* of 64 positions, which overlap by one less than the orders */

#include "chrf/kernel/simd/processor.h"

#define CHRF_GLUE_(a, b) chrf_##a##_##b
#define CHRF_GLUE(a, b) CHRF_GLUE_(a, b)
#define VECTOR CHRF_GLUE(vector, WIDTH)
#define STEPS CHRF_GLUE(steps, WIDTH)
#define STEPS_OF_WORDS CHRF_GLUE(steps_of_words, WIDTH)
#define MATCH CHRF_GLUE(match, WIDTH)

#define WIDTH scalar
#define LANES 1
#define TARGET
#define LANE(vector, i) (vector)
#define NEXT_LANE(first, rest) ((void)(rest), first)
#include "chrf/kernel/simd/bits.h"
#undef LANE

#if defined(CHRF_VECTORS)
#define LANE(vector, i) (vector)[i]
/* The last lane of `first`, then all lanes of `rest` but its last. */
#if defined(__clang__) || __GNUC__ >= 12
#define CHRF_SHUFFLE(first, rest, ...) __builtin_shufflevector(first, rest, __VA_ARGS__)
#else
#define CHRF_SHUFFLE(first, rest, ...) __builtin_shuffle(first, rest, (VECTOR){__VA_ARGS__})
#endif

#define WIDTH baseline
#define LANES 2
#define TARGET
#define NEXT_LANE(first, rest) CHRF_SHUFFLE(first, rest, 1, 2)
#include "chrf/kernel/simd/bits.h"

#if defined(__x86_64__)
#define CHRF_V3 "avx2,bmi,bmi2,lzcnt,popcnt,fma,f16c,movbe"
#define WIDTH v3
#define LANES 4
#define TARGET __attribute__((target(CHRF_V3)))
#define NEXT_LANE(first, rest) CHRF_SHUFFLE(first, rest, 3, 4, 5, 6)
#include "chrf/kernel/simd/bits.h"

#define CHRF_V4 __attribute__((target(CHRF_V3 ",avx512f,avx512bw,avx512vl,avx512dq,avx512cd")))
#define WIDTH v4_half
#define LANES 4
#define TARGET CHRF_V4
#define NEXT_LANE(first, rest) CHRF_SHUFFLE(first, rest, 3, 4, 5, 6)
#include "chrf/kernel/simd/bits.h"

#define WIDTH v4
#define LANES 8
#define TARGET CHRF_V4
#define NEXT_LANE(first, rest) CHRF_SHUFFLE(first, rest, 7, 8, 9, 10, 11, 12, 13, 14)
#include "chrf/kernel/simd/bits.h"

/* Half of the lanes are enough for four orders. One word is a chain of steps that wait for each
   other, and wide vectors change lanes more slowly than narrow ones. */
static void chrf_match_v4_best(
    const uint16_t *text, ptrdiff_t length, const uint64_t *masks, int words, int orders,
    int64_t *matching
) {
    if (words == 1 || orders <= 4) {
        chrf_match_v4_half(text, length, masks, words, orders, matching);
    } else {
        chrf_match_v4(text, length, masks, words, orders, matching);
    }
}
#endif
#endif

typedef struct {
    const char *name;
    void (*match)(const uint16_t *, ptrdiff_t, const uint64_t *, int, int, int64_t *);
    int longest;                       /* symbols of a reference that this way is the best for */
} ChrfWidth;

static const ChrfWidth chrf_widths[] = {
#if defined(CHRF_VECTORS)
#if defined(__x86_64__)
    {"v4", chrf_match_v4_best, 380},
    {"v3", chrf_match_v3, 320},
#endif
    {"baseline", chrf_match_baseline, 180},
#endif
    {"scalar", chrf_match_scalar, 72},
};

/* Return how many of the first widths this machine does not have. */
static int chrf_missing_widths(void) {
#if defined(__x86_64__) && defined(CHRF_VECTORS)
    return 4 - chrf_x86_level();
#else
    return 0;
#endif
}

/* --- two texts ------------------------------------------------------------------------------- */

typedef struct {                       /* numbers of symbols or words */
    const uint16_t *items;
    ptrdiff_t length;
} ChrfText;

/* Return how many symbols two texts have in common where they begin: four are compared at once. */
static ptrdiff_t chrf_common_begin(ChrfText a, ChrfText b) {
    const ptrdiff_t length = a.length < b.length ? a.length : b.length;
    ptrdiff_t n = 0;
    for (; n + 4 <= length && !memcmp(a.items + n, b.items + n, 8); n += 4) {}
    while (n < length && a.items[n] == b.items[n]) n++;
    return n;
}

/* Return how many they have in common where they end. */
static ptrdiff_t chrf_common_end(ChrfText a, ChrfText b) {
    const ptrdiff_t length = a.length < b.length ? a.length : b.length;
    const uint16_t *const a_end = a.items + a.length, *const b_end = b.items + b.length;
    ptrdiff_t n = 0;
    for (; n + 4 <= length && !memcmp(a_end - n - 4, b_end - n - 4, 8); n += 4) {}
    while (n < length && a_end[-n - 1] == b_end[-n - 1]) n++;
    return n;
}

/* Leave out what matches anyway, and return how often it does for each order.

   An n-gram inside of a common beginning is one of both texts: they match, and the rest is a pair of
   texts by itself. So it is with a common end. */
static ptrdiff_t chrf_leave_out_common(ChrfText *a, ChrfText *b, int orders) {
    ptrdiff_t begin = chrf_common_begin(*a, *b) - (orders - 1), end;
    if (begin < 0) begin = 0;
    a->items += begin;
    b->items += begin;
    a->length -= begin;
    b->length -= begin;
    end = chrf_common_end(*a, *b) - (orders - 1);
    if (end < 0) end = 0;
    a->length -= end;
    b->length -= end;
    return begin + end;
}

static ptrdiff_t chrf_words_for(ptrdiff_t length, int orders) {
    return length <= orders ? 1 : (length - orders) / (65 - orders) + 1;
}

/* Count the clipped matches of the orders 1..orders, at most 8. Symbols are numbers from 1 to below
   `size`; the hypothesis may also have 0, which nothing matches. `masks` has room for `size` times
   as many words as the reference has, at most CHRF_MOST_WORDS. */
static void chrf_match(
    const ChrfWidth *width, const uint16_t *hypothesis, ptrdiff_t hypothesis_length,
    const uint16_t *reference, ptrdiff_t reference_length, size_t size, int orders,
    uint64_t *masks, int64_t *matching
) {
    ChrfText text = {hypothesis, hypothesis_length}, other = {reference, reference_length};
    ptrdiff_t common = 0, words, text_words, w, i;
    int order;
    if (other.length > 64) common = chrf_leave_out_common(&text, &other, orders);
    for (order = 0; order < orders; order++) matching[order] = common;
    /* It does not matter which is which: the one that takes fewer steps has the sets. Where that is
       the hypothesis, what it has and the reference has not is never looked up. */
    words = chrf_words_for(other.length, orders);
    text_words = chrf_words_for(text.length, orders);
    if (text_words <= words && text_words * other.length < words * text.length) {
        const ChrfText swapped = text;
        text = other;
        other = swapped;
        words = text_words;
    }
    memset(masks, 0, size * words * sizeof(uint64_t));
    for (w = 0; w < words; w++) {
        const uint16_t *part = other.items + w * (65 - orders);
        const ptrdiff_t left = other.length - w * (65 - orders), n = left < 64 ? left : 64;
        for (i = 0; i < n; i++) masks[part[i] * words + w] |= (uint64_t)1 << i;
    }
    width->match(text.items, text.length, masks, (int)words, orders, matching);
}
