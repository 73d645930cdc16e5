"""The engine of one machine: mapped segments, the native core, all cores. No files, no learning."""

from likewise.engines.local.collection import ENGINE

__all__ = ["ENGINE"]
