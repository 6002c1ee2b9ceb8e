"""A JSON number that is kept as it is spelled."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context
from typing import Final

from convotree.domain.brief_repr import brief, brief_repr
from convotree.errors import InvalidJsonError

__all__ = ["NumberText", "float_of", "int_of"]

_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
# Without traps an exponent beyond decimal's own range gives infinity or zero, not an error.
_EXACT_DECIMALS: Final = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])

_MAX_INT_DIGITS: Final = 20_000
"""Longest integer that ``int(NumberText)`` makes: twelve characters (``1e99999999999``) must not fill the memory."""


@dataclass(frozen=True, slots=True)
class NumberText:
    """A JSON number whose spelling Python's ``int`` and ``float`` would not give back, such as ``1.10``.

    Compared by spelling: ``1.10`` and ``1.1`` differ.
    """

    text: str

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        if type(self.text) is not str or not _NUMBER.fullmatch(self.text):
            raise InvalidJsonError(place="NumberText", reason=f"{brief(self.text)} is not a JSON number")

    def __float__(self) -> float:
        """The nearest float; ``inf`` where the number is too large for one."""
        return float(self.text)

    def __int__(self) -> int:
        """The number without its fraction.

        Raises:
            InvalidJsonError: if the integer has more than 20,000 digits.
        """
        number = _EXACT_DECIMALS.create_decimal(self.text)
        if number and (not number.is_finite() or number.adjusted() >= _MAX_INT_DIGITS):
            raise InvalidJsonError(
                place="NumberText", reason=f"{brief(self.text)} has more than {_MAX_INT_DIGITS} digits"
            )
        return int(number)

    def __str__(self) -> str:
        return self.text


def float_of(text: str) -> float | NumberText:
    """A JSON number with fraction or exponent, as text where a float would be spelled otherwise."""
    value = float(text)
    return value if repr(value) == text else NumberText(text)


def int_of(text: str) -> int | NumberText:
    """A JSON integer, as text where an int would be spelled otherwise or is too long for Python."""
    # int() refuses more than 4,300 digits since Python 3.11, and "-0" would come back as "0".
    if len(text) > 4000 or text == "-0":
        return NumberText(text)
    return int(text)
