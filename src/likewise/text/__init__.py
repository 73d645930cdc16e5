"""From text to terms: Unicode, stemming and stop words. Nothing here knows files or indexes."""

from likewise.text.analyzer import Analyzer, AnalyzerSettings, Terms, changed_settings, languages
from likewise.text.probe import Drift, Probe, drift, probe

__all__ = [
    "Analyzer",
    "AnalyzerSettings",
    "Drift",
    "Probe",
    "Terms",
    "changed_settings",
    "drift",
    "languages",
    "probe",
]
