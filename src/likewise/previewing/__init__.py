"""What is in files, before anything is made of them: records, fields, duplicates, labels."""

from likewise.previewing.fields import FieldPreview
from likewise.previewing.preview import Preview, preview

__all__ = ["FieldPreview", "Preview", "preview"]
