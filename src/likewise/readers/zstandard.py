"""Zstandard: a part of Python from 3.14 on, a package that brings the same before."""

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["zstd"]
