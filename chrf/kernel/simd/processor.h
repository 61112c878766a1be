/* Which widths the processor and the system have.

   The processor is asked itself: the answer of a compiler's run-time library depends on the
   compiler (zig's says no to everything). */

#if defined(__x86_64__) && defined(CHRF_VECTORS)
#include <cpuid.h>

static int chrf_x86_level(void) {
    const unsigned level1 = bit_OSXSAVE | bit_AVX | bit_FMA | bit_MOVBE | bit_F16C | bit_POPCNT;
    const unsigned level3 = bit_AVX2 | bit_BMI | bit_BMI2;
    const unsigned level4 = bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | bit_AVX512VL;
    unsigned a, b, c, d, saved, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & level1) != level1) return 2;
    /* The system saves registers of 256 bits (2 and 4), and those of AVX-512 (0xE0). */
    __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    if ((saved & 6) != 6) return 2;
    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(c & bit_LZCNT)) return 2;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & level3) != level3) return 2;
    return (saved & 0xE0) == 0xE0 && (b & level4) == level4 ? 4 : 3;
}
#endif
