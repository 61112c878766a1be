# cython: language_level=3
# cython: freethreading_compatible=True
"""References that are prepared once and counted against any number of times.

A prepared reference is what the kernel makes of one before it looks at the hypothesis: numbers for
the symbols and words of a short one (``chrf/kernel/simd/short.pyx``); codes, the chains of its
positions and numbered words of any other (``chrf/kernel/match/prepare.pxd``). Those of a scorer
stand one after another in large pieces of memory and are only read.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc, realloc

from chrf.kernel import seed
from chrf.kernel.match.codes cimport (
    FIRST_CODE, LAST_CODE, Alphabet, alphabet_add, alphabet_clear, cell_of,
)
from chrf.kernel.count cimport PART, WORTH_BIGRAMS, _Job, check_orders, read_texts
from chrf.kernel.match.prepare cimport Reference, arrays_size, copy_arrays, lay_out, prepare
from chrf.kernel.segment cimport (
    Scratch, Text, count_prepared, count_segment, decode, free_scratch, new_scratch, short_orders,
    take_hypothesis,
)
from chrf.kernel.simd.short cimport (
    LONGEST_HYPOTHESIS, ShortReference, count_short, forget, keep, kept_size, prepare_short, recall,
)

cdef enum:
    PIECE = 1 << 20            # bytes, or more for a reference that needs them


cdef struct Prepared:          # both NULL: it is counted from its text
    ShortReference *short_reference        # in a piece
    Reference *reference       # the same for one that is not short
    uint32_t alphabet          # by which it is coded


cdef struct KeptAlphabet:
    uint32_t symbols[LAST_CODE + 1]      # code -> symbol
    int next_code
    uint32_t emptied           # how many times it was before


cdef void recall_alphabet(Alphabet *alphabet, const KeptAlphabet *kept) noexcept nogil:
    """Give the symbols the codes that they had."""
    cdef int code
    alphabet_clear(alphabet)
    for code in range(FIRST_CODE, kept.next_code):
        alphabet_add(alphabet, kept.symbols[code], cell_of(alphabet, kept.symbols[code]))


@cython.final
cdef class PreparedReferences:
    """References of one scorer, prepared.

    Parameters
    ----------
    references : list of str
        The list is kept, and must not be changed.
    char_order, word_order : int
        Longest n-grams of either kind, already checked (`chrf.core.options`).
    whitespace : bool
        Whether character n-grams keep whitespace.
    most_bytes : int
        Memory for what is prepared. References that no longer fit are counted from their text.

    Raises
    ------
    TypeError
        Naming the position of an item that is not a string.
    ValueError
        An order is negative, or there are more than 14.
    """

    cdef list references
    cdef int char_order, word_order
    cdef bint whitespace, with_bigrams
    cdef Py_ssize_t longest
    cdef Py_ssize_t done       # references that have been prepared
    cdef Text *texts
    cdef Prepared *prepared
    cdef KeptAlphabet *alphabets
    cdef Py_ssize_t alphabet_count
    cdef uint8_t **pieces
    cdef Py_ssize_t piece_count
    cdef uint8_t *free         # in the last piece
    cdef size_t left           # bytes that are free there
    cdef size_t affordable     # bytes that may still be used

    def __cinit__(self, list references not None, int char_order, int word_order,
                  bint whitespace, size_t most_bytes=1 << 30):
        cdef Py_ssize_t n = len(references)
        check_orders(char_order, word_order)
        self.references = references
        self.char_order, self.word_order = char_order, word_order
        self.whitespace = whitespace
        self.affordable = most_bytes
        self.texts = <Text *>malloc(n * sizeof(Text) + 1)
        self.prepared = <Prepared *>malloc(n * sizeof(Prepared) + 1)
        if not self.texts or not self.prepared:
            raise MemoryError()
        self.longest = read_texts("references", references, 0, n, self.texts)
        self.with_bigrams = n * self.longest > WORTH_BIGRAMS
        cdef Scratch *scratch = new_scratch(
            0, self.longest, self.with_bigrams, seed.SEED, whitespace
        )
        if not scratch:
            raise MemoryError()
        try:
            while self.done < n:
                self.prepare_part(scratch)
                PyErr_CheckSignals()
        finally:
            free_scratch(scratch)

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.piece_count):
            free(self.pieces[i])
        free(self.pieces)
        free(self.alphabets)
        free(self.prepared)
        free(self.texts)

    cdef int prepare_part(self, Scratch *scratch) except -1:
        """Prepare some millions of code points of what is left."""
        cdef Py_ssize_t length = 0, n = len(self.references)
        cdef bint good = True
        with nogil:
            while good and length < PART and self.done < n:
                length += self.texts[self.done].length
                good = self.prepare_one(scratch, self.done)
                self.done += 1
        if not good:
            raise MemoryError()
        return 0

    cdef bint prepare_one(self, Scratch *scratch, Py_ssize_t i) noexcept nogil:
        """Keep what is made of a reference; False where there is no memory."""
        cdef Reference *kept
        cdef uint8_t *memory
        cdef size_t size
        self.prepared[i] = Prepared(NULL, NULL, 0)
        if (
            self.texts[i].length <= scratch.short.longest
            and short_orders(self.char_order, self.word_order)
        ):
            return self.prepare_short_one(scratch, i)
        decode(&self.texts[i], &scratch.reference_text)
        if not prepare(&scratch.reference, &scratch.alphabet, &scratch.reference_text,
                       &scratch.runs, self.char_order, self.word_order, self.whitespace):
            return True
        size = sizeof(Reference) + arrays_size(&scratch.reference)
        if size > self.affordable:
            return True
        self.affordable -= size
        memory = self.room(size)
        if not memory or not self.keep_alphabet(&scratch.alphabet):
            return False
        kept = <Reference *>memory
        kept[0] = scratch.reference
        lay_out(kept, memory + sizeof(Reference))
        copy_arrays(&scratch.reference, kept)
        self.prepared[i] = Prepared(NULL, kept, <uint32_t>(self.alphabet_count - 1))
        return True

    cdef bint prepare_short_one(self, Scratch *scratch, Py_ssize_t i) noexcept nogil:
        """Keep the numbers of a short reference; False where there is no memory."""
        cdef uint8_t *memory
        cdef size_t size
        prepare_short(scratch.short, &self.texts[i], self.word_order, self.whitespace)
        forget(scratch.short, &scratch.short.reference)
        size = kept_size(&scratch.short.reference)
        if size > self.affordable:
            return True
        self.affordable -= size
        memory = self.room(size)
        if not memory:
            return False
        self.prepared[i].short_reference = keep(&scratch.short.reference, memory)
        return True

    cdef uint8_t *room(self, size_t size) noexcept nogil:
        """Return memory of `size` bytes, or NULL."""
        cdef uint8_t **pieces
        cdef uint8_t *memory
        if size > self.left:
            pieces = <uint8_t **>realloc(self.pieces, (self.piece_count + 1) * sizeof(uint8_t *))
            if not pieces:
                return NULL
            self.pieces = pieces
            self.left = max(size, <size_t>PIECE)
            self.free = pieces[self.piece_count] = <uint8_t *>malloc(self.left)
            if not self.free:
                self.left = 0
                return NULL
            self.piece_count += 1
        memory = self.free
        self.free += size
        self.left -= size
        return memory

    cdef bint keep_alphabet(self, const Alphabet *alphabet) noexcept nogil:
        """Note the symbols that have come since the last time; False where there is no memory."""
        cdef KeptAlphabet *kept = NULL
        cdef int code
        if self.alphabet_count:
            kept = self.alphabets + self.alphabet_count - 1
        if not kept or kept.emptied != alphabet.emptied:
            kept = <KeptAlphabet *>realloc(
                self.alphabets, (self.alphabet_count + 1) * sizeof(KeptAlphabet)
            )
            if not kept:
                return False
            self.alphabets = kept
            kept += self.alphabet_count
            self.alphabet_count += 1
            kept.emptied = alphabet.emptied
            kept.next_code = FIRST_CODE
        for code in range(kept.next_code, alphabet.next_code):
            kept.symbols[code] = alphabet.symbols[code]
        kept.next_code = alphabet.next_code
        return True

    def count(self, list hypotheses not None, Py_ssize_t start, Py_ssize_t stop,
              Py_ssize_t reference, Py_ssize_t threads=1):
        """Count hypotheses `start` up to `stop` against the references from `reference` on.

        Parameters
        ----------
        hypotheses : list of str
            No other thread may change it while the call runs.
        start, stop : int
            Positions in it.
        reference : int
            The position of the reference of `hypotheses[start]`.
        threads : int
            As `chrf.kernel.count.count` takes it.

        Returns
        -------
        array.array of type "q"
            As `chrf.kernel.count.count` returns it.

        Raises
        ------
        TypeError
            Naming the position of an item that is not a string.
        """
        cdef Py_ssize_t n
        cdef _PreparedJob job = _PreparedJob.__new__(_PreparedJob)
        if not (0 <= start <= stop <= len(hypotheses)
                and 0 <= reference <= len(self.references) - (stop - start)):
            raise ValueError("start, stop and reference must be positions in the lists")
        n = stop - start
        job.longest_hypothesis = read_texts("hypotheses", hypotheses, start, n, job.room(n))
        job.n, job.others = n, self.texts + reference
        job.references, job.first = self, reference
        job.longest_reference, job.with_bigrams = self.longest, self.with_bigrams
        job.char_order, job.word_order = self.char_order, self.word_order
        job.whitespace = self.whitespace
        return job.count(threads)


@cython.final
cdef class _PreparedJob(_Job):
    """Hypotheses that are counted against prepared references."""

    cdef PreparedReferences references
    cdef Py_ssize_t first      # the reference of the first hypothesis

    cdef void count_range(self, Scratch *scratch, Py_ssize_t begin, Py_ssize_t end, int64_t *out
                          ) noexcept nogil:
        cdef const Prepared *prepared = self.references.prepared + self.first
        cdef Py_ssize_t i, alphabet = -1
        for i in range(begin, end):
            if (
                prepared[i].short_reference and self.texts[i].length <= LONGEST_HYPOTHESIS
                and self.others[i].length <= scratch.short.longest
            ):
                recall(scratch.short, prepared[i].short_reference)
                count_short(scratch.short, prepared[i].short_reference, &self.texts[i],
                            self.char_order, self.word_order, self.whitespace, out)
                forget(scratch.short, prepared[i].short_reference)
            elif prepared[i].reference:
                if alphabet != prepared[i].alphabet:
                    alphabet = prepared[i].alphabet
                    recall_alphabet(&scratch.alphabet, self.references.alphabets + alphabet)
                take_hypothesis(scratch, &self.texts[i])
                count_prepared(scratch, prepared[i].reference, self.char_order, self.word_order,
                               self.whitespace, out)
            else:
                count_segment(scratch, &self.texts[i], &self.others[i], self.char_order,
                              self.word_order, self.whitespace, out)
                alphabet = -1      # it may have got other symbols
            out += 3 * (self.char_order + self.word_order)
