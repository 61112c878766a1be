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

from chrf.files.names import InputError
from chrf.files.output import OutputError, named, one_line
from chrf.report.layout import DEFAULT_WIDTH, FORMATS, Layout

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

S = TypeVar("S")
N = TypeVar("N")


class OptionalNumber(argparse.Action):
    """An option that takes the next word only where that is a number; else it is `const`.

    It is for ``nargs="?"``, which by itself would take the name of a file.
    """

    def __call__(
        self, parser: object, namespace: object, values: object, option_string: str | None = None
    ) -> None:
        """Keep the number."""
        setattr(namespace, self.dest, values)

    def takes(self, word: str) -> bool:
        """Tell whether a word is a number for this option: an integer, or a decimal too."""
        if self.type is int:
            return word.isdecimal()
        return word.replace(".", "", 1).isdecimal()


class Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong, and knows `OptionalNumber`."""

    def parse_known_args(  # type: ignore[override]  # typeshed has an overload for each default
        self, args: Sequence[str] | None = None, namespace: N | None = None
    ) -> tuple[N | argparse.Namespace, list[str]]:
        """Parse the words; an `OptionalNumber` without a number is given its default first."""
        words = list(sys.argv[1:] if args is None else args)
        numbers = {
            flag: action
            for action in self._actions
            if isinstance(action, OptionalNumber)
            for flag in action.option_strings
        }
        options = words.index("--") if "--" in words else len(words)
        for i, word in enumerate(words[:options]):
            if word in numbers and not numbers[word].takes("".join(words[i + 1 : i + 2])):
                words[i] = f"{numbers[word].option_strings[0]}={numbers[word].const}"
        return super().parse_known_args(words, namespace)

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
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # the bytes are the same under every locale
            stream.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
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


def check_standard_output() -> None:
    """Raise OutputError where there is none."""
    if sys.stdout is None:
        raise OutputError("<stdout>: standard output is closed")


def say(message: str) -> None:
    """Print a line on standard error, if there is one: a score is worth more than a message."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError), _writing(sys.stderr):
            print(one_line(message), file=sys.stderr)


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
    group.add_argument("--format", "-f", choices=FORMATS, help="(default: text)")
    group.add_argument(
        "--width",
        "-w",
        type=int,
        default=DEFAULT_WIDTH,
        metavar="N",
        help="decimals shown (default: %(default)s); json always has 6 and the fraction",
    )
    group.add_argument("--score-only", "-b", action="store_true", help="one number per system")
    group.add_argument("--orders", action="store_true", help="the breakdown by n-gram order")
    group.add_argument("--fractions", action="store_true", help="exact fractions too")
    group.add_argument("--short", "-sh", action="store_true", help="short signatures of scores")
    group.add_argument("--quiet", "-q", action="store_true", help="no notes, no progress bar")


def read_layout(parsed: argparse.Namespace) -> Layout:
    """Return how scores are to be shown; ValueError for what cannot be."""
    if not 0 <= parsed.width <= 100:
        raise ValueError(f"width is {parsed.width}; it must be an integer from 0 to 100")
    layout = Layout(
        format=parsed.format or "text",
        width=parsed.width,
        orders=parsed.orders,
        fractions=parsed.fractions,
        short=parsed.short,
        score_only=parsed.score_only,
    )
    check_score_only(layout, layout.shows_more)
    return layout


def check_score_only(layout: Layout, more: bool) -> None:
    """Raise ValueError where `more` is asked for beside --score-only."""
    if layout.score_only and more:
        raise ValueError("--score-only prints one number per system and nothing else")
