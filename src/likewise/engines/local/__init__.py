"""The engine `local`: mapped segments, the native core, all CPU cores. No files, no learning."""

from likewise.engines.local.collection import ENGINE

__all__ = ["ENGINE"]
