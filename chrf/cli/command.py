"""What all command lines of the package share: how they start, fail, print and end."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NoReturn, TextIO, TypeVar

from chrf.core.checks import checked_int, meant, shown
from chrf.files.names import InputError, as_utf8
from chrf.files.output import OutputError, named, one_line
from chrf.report.layout import DEFAULT_WIDTH, FORMATS, Layout

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

LONGEST_LINE = 480  # characters of a message

# What sacreBLEU has and this package has not, and what to do instead.
ELSEWHERE = {
    **dict.fromkeys(
        ("-i", "--input"), "give the FILEs of the systems without one, beside --reference-file"
    ),
    **dict.fromkeys(("-m", "--metrics", "--metric"), "chrF is the only metric"),
    "--chrf-eps-smoothing": "--averaging per_order_f is nearest to it",
}

S = TypeVar("S")


class OptionalNumber(argparse.Action):
    """An option that takes the next word only where that is a number; else it is `const`.

    It is for ``nargs="?"``, which by itself would take the name of a file.
    """

    def __call__(
        self, parser: object, namespace: object, values: object, option_string: str | None = None
    ) -> None:
        """Keep the number."""
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong, and knows `OptionalNumber`.

    An argument called ``files`` takes all words that belong to no option, wherever they stand.
    """

    def parse_args(  # type: ignore[override]  # typeshed has an overload for each default
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Parse the words; an `OptionalNumber` without a number is given its default first."""
        words = list(sys.argv[1:] if args is None else args)
        numbers = {
            flag: f"{action.option_strings[0]}={action.const}"
            for action in self._actions
            if isinstance(action, OptionalNumber)
            for flag in action.option_strings
        }
        end = words.index("--") if "--" in words else len(words)
        for i, word in enumerate(words[:end]):
            if word in numbers and not "".join(words[i + 1 : i + 2]).isdecimal():
                words[i] = numbers[word]
        takes_files = any(action.dest == "files" for action in self._actions)
        parsed, others = self.parse_known_args(words[:end] if takes_files else words, namespace)
        for word in others:
            if not takes_files or (word.startswith("-") and word != "-"):
                self.error(self._unknown(word))
        if takes_files:
            parsed.files = [*parsed.files, *others, *words[end + 1 :]]
        return parsed

    def _unknown(self, word: str) -> str:
        """Return what is wrong with a word that no argument takes, and what may be meant."""
        if not word.startswith("-"):
            return f"{shown(as_utf8(word))} is one argument too many"
        name = as_utf8(word).partition("=")[0]
        if name in ELSEWHERE:
            return f"there is no option {name}; {ELSEWHERE[name]}"
        known = [flag for action in self._actions for flag in action.option_strings]
        close = meant(name, known) if name.startswith("--") else ""
        return f"there is no option {shown(name)}{close}"

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, if there is anywhere to say it, and leave."""
        say(f"{self.prog}: {message} (see --help)")
        self.exit(2)

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print the help or the version, with an exit status that says whether that worked."""
        try:
            with printing():
                sys.stdout.write(message)
        except BrokenPipeError:
            self.exit(128 + signal.SIGPIPE)
        except OSError as error:
            say(str(error))
            self.exit(1)


def run_command(
    parser: Parser,
    arguments: Sequence[str] | None,
    read: Callable[[argparse.Namespace], S],
    run: Callable[[S], None],
) -> int:
    """Read the command line and do what it asks; return the exit status.

    Parameters
    ----------
    parser : Parser
    arguments : sequence of str, optional
        Those of the process by default.
    read : callable
        Makes settings of what was parsed; raises ValueError for wrong usage (status 2).
    run : callable
        Does what the settings ask for; raises InputError for bad input (status 1). Either of them
        may raise OSError for what cannot be read or written (status 1).
    """
    speak_utf8()
    # Under python -u a write may take a part, and nobody would notice.
    raw = getattr(sys.stdout, "buffer", None)
    if isinstance(raw, io.RawIOBase):
        whole = io.BufferedWriter(raw)
        sys.stdout = io.TextIOWrapper(whole, "utf-8", "surrogateescape", newline="\n")
    parsed = parser.parse_args(arguments)
    try:
        try:
            settings = read(parsed)
        except (TypeError, ValueError) as error:
            parser.error(str(error))
        check_standard_output()
        run(settings)
    except BrokenPipeError:  # the reader left, and wants to hear no more
        return 128 + signal.SIGPIPE
    except (InputError, OSError) as error:
        say(str(error))
        return 1
    except MemoryError as error:
        say(f"not enough memory{': ' if str(error) else ''}{error}")
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


def speak_utf8() -> None:
    """Write the same bytes under every locale."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")


def check_standard_output() -> None:
    """Raise OutputError where there is none."""
    if sys.stdout is None:
        raise OutputError("<stdout>: standard output is closed")


def say(message: str) -> None:
    """Print a line on standard error, if there is one: a score is worth more than a message."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError), _writing(sys.stderr):
            print(clipped(one_line(message)), file=sys.stderr)


def clipped(line: str) -> str:
    """Return a line without its middle where it is long: its end says what to do."""
    if len(line) <= LONGEST_LINE:
        return line
    half = (LONGEST_LINE - 3) // 2
    return f"{line[:half]}...{line[-half:]}"


@contextlib.contextmanager
def printing() -> Iterator[None]:
    """Print to standard output; what fails says so."""
    check_standard_output()
    with named("<stdout>"), _writing(sys.stdout):
        yield


@contextlib.contextmanager
def _writing(stream: TextIO) -> Iterator[None]:
    """Write at once. What cannot be written is dropped: Python would try again at its end."""
    try:
        yield
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise


def add_output_options(group: argparse._ArgumentGroup) -> None:
    """Add the options that say how scores are shown."""
    group.add_argument("--format", "-f", choices=FORMATS, help="json is JSON Lines (default: text)")
    group.add_argument(
        "--width",
        "-w",
        type=int,
        default=DEFAULT_WIDTH,
        metavar="N",
        help="decimals shown (default: %(default)s); json always has 6, the fraction and a number",
    )
    group.add_argument("--score-only", "-b", action="store_true", help="one number per system")
    group.add_argument("--orders", action="store_true", help="the breakdown by n-gram order")
    group.add_argument("--fractions", action="store_true", help="exact fractions too")
    group.add_argument("--short", "-sh", action="store_true", help="short signatures of scores")
    group.add_argument("--quiet", "-q", action="store_true", help="no notes, no progress bar")


def read_layout(parsed: argparse.Namespace) -> Layout:
    """Return how scores are to be shown; ValueError for what cannot be."""
    checked_int("--width", parsed.width, 0, 100)
    layout = Layout(
        format=parsed.format or "text",
        width=parsed.width,
        orders=parsed.orders,
        fractions=parsed.fractions,
        short=parsed.short,
        score_only=parsed.score_only,
    )
    if layout.score_only:
        check_alone("--score-only", "system", more_than_numbers(layout))
    return layout


def more_than_numbers(layout: Layout) -> list[str]:
    """Return the options of a layout that ask for more than one number."""
    return [
        *([f"--format {layout.format}"] if layout.format != "text" else []),
        *(["--orders"] if layout.orders else []),
        *(["--fractions"] if layout.fractions else []),
    ]


def check_alone(flag: str, unit: str, others: Sequence[str]) -> None:
    """Raise ValueError, which names them, where `flag` leaves no room for other options."""
    if others:
        raise ValueError(f"{flag} prints one number per {unit}, without room for {others[0]}")
