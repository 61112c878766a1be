from array import array
from typing import final

@final
class PreparedReferences:
    def __new__(
        cls,
        references: list[str],
        char_order: int,
        word_order: int,
        whitespace: bool,
        most_bytes: int = ...,
    ) -> PreparedReferences: ...
    def count(
        self,
        hypotheses: list[str],
        start: int,
        stop: int,
        reference: int,
        threads: int = ...,
    ) -> array[int]: ...
