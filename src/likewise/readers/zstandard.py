"""Zstandard: a part of Python from 3.14 on, a package that brings the same before."""

import sys

if sys.version_info >= (3, 14):
    from compression import zstd

    MODULE = "_zstd"
else:
    from backports import zstd

    MODULE = "backports.zstd._zstd"

__all__ = ["library", "zstd"]


def library() -> str:
    """The file that brings the functions of Zstandard; empty where Python itself does."""
    return getattr(sys.modules.get(MODULE), "__file__", None) or ""
