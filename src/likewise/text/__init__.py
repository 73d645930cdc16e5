"""From text to terms: Unicode, stemming and stop words. Nothing here knows files or indexes."""

from likewise.text.analyzer import Analyzer, AnalyzerSettings, Terms, languages
from likewise.text.probe import Drift, Probe, drift, probe

__all__ = [
    "Analyzer",
    "AnalyzerSettings",
    "Drift",
    "Probe",
    "Terms",
    "drift",
    "languages",
    "probe",
]
