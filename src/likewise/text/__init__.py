"""From text to terms: Unicode, stemming and stop words. Nothing here knows files or indexes."""

from likewise.text.analyzer import Analyzer, AnalyzerSettings, Terms, languages

__all__ = ["Analyzer", "AnalyzerSettings", "Terms", "languages"]
