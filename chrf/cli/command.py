"""What all command lines of the package share: how they start, fail, print and end."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NoReturn, TextIO

from chrf.files.output import OutputError, named, one_line
from chrf.files.table import InputError
from chrf.report.render import DEFAULT_WIDTH, FORMATS, Layout

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong."""

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
    check: Callable[[argparse.Namespace], None],
    run: Callable[[argparse.Namespace], None],
) -> int:
    """Read the command line, check it and do what it asks; return the exit status.

    `check` raises ValueError for wrong usage (status 2), either of them InputError for bad input
    and OSError for what cannot be read or written (status 1, one line on standard error).
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # the bytes are the same under every locale
            stream.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    # Under python -u a write may take a part, and nobody would notice.
    raw = getattr(sys.stdout, "buffer", None)
    if isinstance(raw, io.RawIOBase):
        whole = io.BufferedWriter(raw)
        sys.stdout = io.TextIOWrapper(whole, "utf-8", "surrogateescape", newline="\n")
    settings = parser.parse_args(arguments)
    try:
        try:
            check(settings)
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
    """Refuse to go on without it."""
    if sys.stdout is None:
        raise OutputError("<stdout>: standard output is closed")


def say(message: str) -> None:
    """One line on standard error, if there is one; a score is worth more than a message."""
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
    """The options that say how scores are shown."""
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


def shows_more(settings: argparse.Namespace) -> bool:
    """Whether more than numbers is to be shown."""
    return bool(settings.format not in (None, "text") or settings.orders or settings.fractions)


def check_output_options(settings: argparse.Namespace) -> None:
    """Refuse what cannot be shown."""
    if not 0 <= settings.width <= 100:
        raise ValueError(f"width is {settings.width}; it must be an integer from 0 to 100")
    if settings.score_only and shows_more(settings):
        raise ValueError("--score-only prints one number per system and nothing else")


def layout(settings: argparse.Namespace) -> Layout:
    """The part of the command line that `render` obeys."""
    return Layout(
        format=settings.format or "text",
        width=settings.width,
        orders=settings.orders,
        fractions=settings.fractions,
        short=settings.short,
        score_only=settings.score_only,
    )
