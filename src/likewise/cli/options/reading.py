"""How input is read: the options that `index` and `add` share."""

from dataclasses import dataclass
from typing import Any

from likewise.cli.options import common


@dataclass(frozen=True)
class Reading:
    on_duplicate: common.OnDuplicate = "error"
    strict: common.Strict = False
    text_column: common.TextColumn = None
    title_column: common.TitleColumn = None
    id_column: common.IdColumn = None
    ids: common.IdsFile = None
    format: common.ReadFormat = None
    encoding: common.Encoding = None
    memory: common.Memory = 256

    def arguments(self) -> dict[str, Any]:
        """As Index.add takes them."""
        return {
            "on_duplicate": self.on_duplicate,
            "strict": self.strict,
            "text_column": self.text_column,
            "title_column": self.title_column,
            "id_column": self.id_column,
            "ids_file": self.ids,
            "format": self.format,
            "encoding": self.encoding,
            "memory": self.memory << 20,
        }


DEFAULT = Reading()
