"""How cost grows with the length of a segment, the number of segments and the alphabet.

Prints nanoseconds a code point of `chrf.corpus_score` on one thread (alphabets: in segments of 200
and of 10,000 code points), and draws segments per second against the length of a segment for chrf
and every peer (``--plot FILE.svg``). Peers stop at the length at which a single call takes them
more than a second.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable

import chrf
from cases import GERMAN, Case, prose
from contenders import CONTENDERS
from timing import best

LENGTHS = (10, 30, 100, 300, 1_000, 3_000, 10_000, 100_000, 1_000_000, 10_000_000)
NUMBERS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
ALPHABETS = (2, 5, 10, 25, 50, 100, 250, 500, 5_000, 50_000)
TEXT = 200_000  # code points of a call, where the length allows


def main() -> None:
    """Print the tables; draw the plot if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="FILE.svg")
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    settings = parser.parse_args()
    text = running_text(2 * max(LENGTHS) if not settings.quick else 400_000)
    table("code points a segment", LENGTHS, lambda n: of_length(text, n), settings.quick)
    table("segments", NUMBERS, lambda n: of_number(text, n), settings.quick)
    table("symbols, short", ALPHABETS, lambda n: of_alphabet(n, 200), settings.quick)
    table("symbols, long", ALPHABETS, lambda n: of_alphabet(n, 10_000), settings.quick)
    if settings.plot:
        plot(text, settings.plot)


def running_text(length: int) -> tuple[str, str]:
    """A hypothesis and a reference of `length` code points, as alike as systems' are."""
    sides: tuple[list[str], list[str]] = ([], [])
    total = 0
    while total < length:
        part = prose(GERMAN, 500, 200)(f"part at {total}")
        sides[0].extend(part.hypotheses)
        sides[1].extend(group[0] for group in part.groups)
        total += sum(map(len, part.hypotheses))
    return " ".join(sides[0])[:length], " ".join(sides[1])[:length]


def of_length(text: tuple[str, str], n: int) -> Case | None:
    """Segments of n code points cut from the text at the same places of both sides."""
    if n > len(text[1]):
        return None
    starts = range(0, max(n, min(TEXT, len(text[1]) - n)), n)
    hypotheses = [text[0][i : i + n] for i in starts]
    return Case(str(n), hypotheses, [[text[1][i : i + n]] for i in starts])


def of_number(text: tuple[str, str], n: int) -> Case | None:
    """n segments of 20 code points."""
    places = min(n, len(text[1]) // 20)
    pairs = [(text[0][i : i + 20], text[1][i : i + 20]) for i in range(0, 20 * places, 20)]
    more = [pairs[i % places] for i in range(n)]
    return Case(str(n), [h for h, _ in more], [[r] for _, r in more])


def of_alphabet(n: int, length: int) -> Case:
    """Segments of random symbols out of n, a third of them changed."""
    rng = random.Random(n)
    symbols = [chr(0x3400 + i) if n > 100 else chr(0x61 + i) for i in range(n + 200)]
    symbols = [c for c in symbols if not c.isspace() and not "\ud800" <= c <= "\udfff"][:n]
    references = ["".join(rng.choices(symbols, k=length)) for _ in range(TEXT // length)]
    hypotheses = [
        "".join(rng.choice(symbols) if rng.random() < 1 / 3 else c for c in text)
        for text in references
    ]
    return Case(str(n), hypotheses, [[text] for text in references])


def table(
    what: str, sizes: tuple[int, ...], build: Callable[[int], Case | None], quick: bool
) -> None:
    """Nanoseconds a code point for each size."""
    print(f"{what:>22}  ns a code point")
    for size in sizes:
        case = build(size) if not quick or size <= 100_000 else None
        if case is None:
            continue
        cost = seconds(lambda case=case: chrf.corpus_score(case.hypotheses, case.references))
        print(f"{size:22,}  {cost / (case.code_points * len(case)) * 1e9:8.2f}")
    print()


def plot(text: tuple[str, str], path: str) -> None:
    """Segments per second against length, for every contender that is here."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    for contender in CONTENDERS:
        points = []
        for length in LENGTHS:
            case = of_length(text, length)
            if not contender.present or case is None:
                continue
            case = case.sample(max(1, 20_000 // length))
            run = contender.prepare(case, 0)
            if run is None:
                continue
            contender.check(case, 0, run())
            cost = seconds(run)
            points.append((length, len(case) / cost))
            if cost > 1:
                break
        if points:
            axes.loglog(*zip(*points, strict=True), marker="o", markersize=3, label=contender.name)
    axes.set_xlabel("code points of a segment, each side")
    axes.set_ylabel("segments per second")
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    print(f"wrote {path}")


def seconds(call: Callable[[], object]) -> float:
    """Best time of a call: of three at least, and of more if it is short."""
    return best({"call": call}, rounds=3, seconds=0.15)["call"]


if __name__ == "__main__":
    main()
