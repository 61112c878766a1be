"""sacreBLEU's signature: the text that says what was computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chrf.core.options import VERSION

COMPATIBLE_VERSION = "2.6.0"  # the sacreBLEU whose numbers and texts these are


class CHRFSignature:
    """What was computed, in sacreBLEU's words.

    Parameters
    ----------
    args : mapping
        The attributes of a `CHRF`.

    Attributes
    ----------
    info : dict
        The parts by name. Those that are None are not printed.
    engine : str
        What computed the score in truth, ``chrf-0.1.0``; never printed. ``version`` is the
        sacreBLEU to which the score is equal.

    Raises
    ------
    ValueError
        The metric has seen no references yet.
    """

    def __init__(self, args: Mapping[str, Any]) -> None:
        if "num_refs" not in args:
            raise ValueError("the number of references is not known before a score is computed")
        self.engine = f"chrf-{VERSION}"
        self.info: dict[str, Any] = {
            "version": COMPATIBLE_VERSION,
            "nrefs": "var" if args["num_refs"] == -1 else args["num_refs"],
            "bs": args.get("n_bootstrap"),
            "ar": None,
            "seed": args.get("seed"),
            "test": args.get("test_set"),
            "lang": args.get("langpair"),
            "origlang": args.get("origlang"),
            "subset": args.get("subset"),
            "case": "lc" if args["lowercase"] else "mixed",
            "eff": "no" if args["eps_smoothing"] else "yes",
            "nc": args["char_order"],
            "nw": args["word_order"],
            "space": "yes" if args["whitespace"] else "no",
        }
        names = "version:v nrefs:# test:t lang:l subset:S origlang:o seed:rs case:c eff:e space:s"
        self._short = dict(name.split(":") for name in names.split())

    def update(self, key: str, value: object) -> None:
        """Set one part.

        Parameters
        ----------
        key : str
            The name of the part.
        value : object
            None leaves it out of the text.
        """
        self.info[key] = value

    def format(self, short: bool = False) -> str:
        """Return the signature as text.

        Parameters
        ----------
        short : bool
            One-letter names.
        """
        parts = []
        for key in (*(key for key in self.info if key != "version"), "version"):
            value = self.info[key]
            if isinstance(value, bool):
                value = "yes" if value else "no"
            if value is not None:
                parts.append(f"{self._short.get(key, key) if short else key}:{value}")
        return "|".join(parts)

    def __repr__(self) -> str:
        return self.format()
