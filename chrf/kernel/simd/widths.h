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
#if defined(__clang__)
#define CHRF_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define CHRF_UNROLL _Pragma("GCC unroll 8")
#else
#define CHRF_UNROLL
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

#define WIDTH v4
#define LANES 8
#define TARGET __attribute__((target(CHRF_V3 ",avx512f,avx512bw,avx512vl,avx512dq,avx512cd")))
#define NEXT_LANE(first, rest) CHRF_SHUFFLE(first, rest, 7, 8, 9, 10, 11, 12, 13, 14)
#include "chrf/kernel/simd/bits.h"
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
    {"v4", chrf_match_v4, 700},
    {"v3", chrf_match_v3, 400},
#endif
    {"baseline", chrf_match_baseline, 250},
#endif
    {"scalar", chrf_match_scalar, 200},
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

static ptrdiff_t chrf_common_prefix(const uint16_t *a, const uint16_t *b, ptrdiff_t length) {
    ptrdiff_t n = 0;
    uint64_t four, other;
    while (n + 4 <= length) {
        memcpy(&four, a + n, 8);
        memcpy(&other, b + n, 8);
        if (four != other) break;
        n += 4;
    }
    while (n < length && a[n] == b[n]) n++;
    return n;
}

static ptrdiff_t chrf_common_suffix(const uint16_t *a, const uint16_t *b, ptrdiff_t length) {
    /* Both end where they point to. */
    ptrdiff_t n = 0;
    uint64_t four, other;
    while (n + 4 <= length) {
        memcpy(&four, a - n - 4, 8);
        memcpy(&other, b - n - 4, 8);
        if (four != other) break;
        n += 4;
    }
    while (n < length && a[-n - 1] == b[-n - 1]) n++;
    return n;
}

static ptrdiff_t chrf_words_for(ptrdiff_t length, int orders) {
    return length <= orders ? 1 : (length - orders) / (65 - orders) + 1;
}

/* Count the clipped matches of the orders 1..orders, at most 8. Symbols are numbers from 1 to below
   `size`; the hypothesis may also have 0, which nothing matches. `masks` has room for `size` times as
   many words as the reference has, at most CHRF_MOST_WORDS. */
static void chrf_match(
    const ChrfWidth *width, const uint16_t *hypothesis, ptrdiff_t h, const uint16_t *reference,
    ptrdiff_t r, size_t size, int orders, uint64_t *masks, int64_t *matching
) {
    /* An n-gram inside of a common beginning is one of both texts: it matches, and the rest of them
       is a pair of texts by itself. So is one inside of a common end. */
    ptrdiff_t cut = 0, common, words, other_words, w, i;
    int order;
    common = chrf_common_prefix(hypothesis, reference, h < r ? h : r);
    if (common == h && common == r) {
        for (order = 0; order < orders; order++) matching[order] = h > order ? h - order : 0;
        return;
    }
    if (common >= orders) {
        cut = common - (orders - 1);
        hypothesis += cut; reference += cut;
        h -= cut; r -= cut;
    }
    common = chrf_common_suffix(hypothesis + h, reference + r, h < r ? h : r);
    if (common >= orders) {
        common -= orders - 1;
        cut += common;
        h -= common; r -= common;
    }
    for (order = 0; order < orders; order++) matching[order] = cut;
    /* It does not matter which text is which: the one that takes fewer steps has the sets. */
    words = chrf_words_for(r, orders);
    other_words = chrf_words_for(h, orders);
    if (other_words <= words && other_words * r < words * h) {
        const uint16_t *text = hypothesis;
        common = h;
        hypothesis = reference; h = r;
        reference = text; r = common;
        words = other_words;
    }
    memset(masks, 0, size * words * sizeof(uint64_t));
    for (w = 0; w < words; w++) {
        const uint16_t *part = reference + w * (65 - orders);
        const ptrdiff_t left = r - w * (65 - orders), n = left < 64 ? left : 64;
        for (i = 0; i < n; i++) masks[part[i] * words + w] |= (uint64_t)1 << i;
    }
    /* Of a hypothesis symbol without a number that has become the reference's, nothing is found. */
    width->match(hypothesis, h, masks, (int)words, orders, matching);
}
