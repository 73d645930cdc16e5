"""What a change of stemmer does to an index, with two real versions of PyStemmer.

    python stemmer_drift.py OLD NEW FILE [LANGUAGE]

OLD and NEW are folders that `pip install --target` has put a version of PyStemmer into. Documents
of FILE are indexed with OLD. Then words of them are searched for, with OLD, and with NEW in three
ways: as if nothing was known of OLD, with what the index keeps, and after `reindex`. Printed is how
many words have another stem, and how many find exactly what they found with OLD.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

MOST = 2_000  # words that are searched for, of those with another stem and of the others


def main(old, new, file, language="english"):
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)

        def run(library, name):
            return json.loads(_step(library, name, work, file, language))

        built, (then, now) = run(old, "build"), (run(library, "stems") for library in (old, new))
        changed = [word for word, stem in then.items() if now[word] != stem]
        others = [word for word, stem in then.items() if now[word] == stem]
        chosen = {"another stem": changed[:MOST], "the same stem": others[:MOST]}
        words = [word for some in chosen.values() for word in some]
        (work / "words.json").write_text(json.dumps(words))
        found, unaware, kept, anew = (
            run(library, name)
            for library, name in ((old, "search"), (new, "forget"), (new, "search"), (new, "anew"))
        )
    print(f"PyStemmer {found['version']} -> {kept['version']}, {language}, {file}:")
    print(
        f"  {built['documents']:,} documents, {len(then):,} words, {len(changed):,} of them with ",
        end="",
    )
    print(f"another stem, such as {', '.join(changed[:6])}")
    for name, some in chosen.items():
        for way, result in (("unaware", unaware), ("as kept", kept), ("reindexed", anew)):
            same = sum(result["hits"][word] == found["hits"][word] for word in some)
            any = sum(bool(result["hits"][word]) for word in some)
            print(
                f"  words with {name}, {way}: {same:,} of {len(some):,} find the same documents, ",
                end="",
            )
            print(f"{any:,} find some")
    print(f"  note: {kept['note']}")


def _step(library, step, work, file, language):
    command = [sys.executable, __file__, "--step", step, str(work), str(file), language]
    environment = {**os.environ, "PYTHONPATH": str(Path(library).resolve())}
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def step(name, work, file, language):
    """One step in a process of its own, which has one version of the stemmer."""
    import msgspec
    import Stemmer

    from likewise import Index
    from likewise.store.manifest import read_manifest, write_manifest

    warnings.simplefilter("ignore")
    path = Path(work) / "drift.idx"
    if name == "build":
        index = Index.create(path, language=language, latent=0)
        index.add(file)
        (Path(work) / "words.json").write_text(json.dumps(_words(index)))
        return {"documents": len(index)}
    words = json.loads((Path(work) / "words.json").read_text())
    if name == "stems":
        return dict(zip(words, Stemmer.Stemmer(language, 0).stemWords(words), strict=True))
    manifest = read_manifest(path)
    if name == "forget":
        write_manifest(path, msgspec.structs.replace(manifest, probe=None))
    index = Index.open(path)
    if name == "anew":
        index.reindex()
    hits = {word: sorted(hit.id for hit in index.search(word, k=len(index))) for word in words}
    if name == "forget":
        write_manifest(path, manifest)
    return {"version": _version(), "hits": hits, "note": " ".join(index.info().notes)}


def _words(index):
    """Words as the documents have them, those in several documents first."""
    from collections import Counter

    from likewise import _core
    from likewise.text.unicode import unicode_classes

    count = Counter()
    for id in index.ids():
        document = index.document(id)
        text = f"{document.title} {document.text}".lower()
        count.update(word for word in set(_core.forms(text, unicode_classes, 64)) if word.isalpha())
    return [word for word, _ in count.most_common()]


def _version():
    from importlib.metadata import version

    return version("PyStemmer")


if __name__ == "__main__":
    if sys.argv[1] == "--step":
        print(json.dumps(step(*sys.argv[2:])))
    else:
        main(*sys.argv[1:])
