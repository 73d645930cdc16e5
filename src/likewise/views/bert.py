"""A BERT encoder as a graph for ONNX Runtime, made of the weights of a model.

Weights and what they are multiplied with are float32, or bytes: u ≈ (q - z)·s. A weight's factor s
is its column's; that of an input is fixed beforehand, by what it was for some texts, so a text has
the same vector whatever is encoded beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Weights = Mapping[str, NDArray[np.float32]]
    Ranges = Mapping[str, tuple[float, float]]  # of the inputs of layers, by name

CONTRIB = "com.microsoft"
OPSET, IR = 20, 9  # of ONNX: what versions of ONNX Runtime since 1.17 read
IDS, LENGTHS, POOL, POOLED = "ids", "lengths", "pool", "pooled"


class Shape(NamedTuple):
    """What a configuration says of a model."""

    width: int
    heads: int
    layers: int
    epsilon: float


def graph(shape: Shape, weights: Weights, ranges: Ranges | None = None, most: int = 127) -> bytes:
    """A model: numbers of tokens, lengths and weights of positions in, pooled vectors out.

    With `ranges` it multiplies bytes, weights of at most `most`; without, the inputs of layers are
    outputs, too.
    """
    return _Graph(shape, weights, ranges, most).made()


class _Graph:
    def __init__(self, shape: Shape, weights: Weights, ranges: Ranges | None, most: int) -> None:
        self._shape, self._weights, self._ranges, self._most = shape, weights, ranges, most
        self._nodes: list[Any] = []
        self._constants: dict[str, NDArray[Any]] = {}
        self._seen: list[str] = []  # the inputs of layers

    def made(self) -> bytes:
        from onnx import TensorProto, helper, numpy_helper

        x = self._embedded()
        for number in range(self._shape.layers):
            x = self._layer(number, x)
        one = self._constant("axis", np.array([1], np.int64))
        row = self._node("Unsqueeze", [POOL, one], "row")
        self._node("Squeeze", [self._node("MatMul", [row, x], "sums"), one], POOLED)
        typed = helper.make_tensor_value_info
        seen = [] if self._ranges else [typed(x, TensorProto.FLOAT, None) for x in self._seen]
        made = helper.make_graph(
            self._nodes,
            "encoder",
            [
                typed(IDS, TensorProto.INT64, ["texts", "tokens"]),
                typed(LENGTHS, TensorProto.INT32, ["texts"]),
                typed(POOL, TensorProto.FLOAT, ["texts", "tokens"]),
            ],
            [typed(POOLED, TensorProto.FLOAT, ["texts", self._shape.width]), *seen],
            [numpy_helper.from_array(values, name) for name, values in self._constants.items()],
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
        model = helper.make_model(made, opset_imports=opsets, ir_version=IR)
        return bytes(model.SerializeToString())

    def _node(self, op: str, inputs: list[str], output: str, domain: str = "", **more: Any) -> str:
        from onnx import helper

        self._nodes.append(helper.make_node(op, inputs, [output], domain=domain, **more))
        return output

    def _constant(self, name: str, values: Any) -> str:
        self._constants[name] = np.ascontiguousarray(values)
        return name

    def _embedded(self) -> str:
        """Vectors of tokens and of their positions."""
        weights = self._weights
        words = self._constant("words", weights["embeddings.word_embeddings.weight"])
        kinds = weights["embeddings.token_type_embeddings.weight"]
        where = weights["embeddings.position_embeddings.weight"] + kinds[0]
        zero, one, two = (self._constant(f"n{n}", np.array([n], np.int64)) for n in range(3))
        length = self._node("Slice", [self._node("Shape", [IDS], "shape"), one, two], "length")
        places = self._node("Slice", [self._constant("places", where), zero, length, zero], "at")
        x = self._node("Add", [self._node("Gather", [words, IDS], "vectors"), places], "placed")
        return self._normalized(x, "embeddings.LayerNorm", "x0")

    def _layer(self, number: int, x: str) -> str:
        layer = f"encoder.layer.{number}"
        attended = self._attention(f"{layer}.attention.self", x, f"attended{number}")
        y = self._dense(f"{layer}.attention.output.dense", attended)
        y = self._node("Add", [y, x], f"with{number}")
        x = self._normalized(y, f"{layer}.attention.output.LayerNorm", f"y{number}")
        y = self._dense(f"{layer}.intermediate.dense", x)
        y = self._dense(f"{layer}.output.dense", self._node("Gelu", [y], f"gelu{number}"))
        y = self._node("Add", [y, x], f"and{number}")
        return self._normalized(y, f"{layer}.output.LayerNorm", f"x{number + 1}")

    def _normalized(self, x: str, name: str, output: str) -> str:
        scale = self._constant(f"{name}.weight", self._weights[f"{name}.weight"])
        shift = self._constant(f"{name}.bias", self._weights[f"{name}.bias"])
        inputs = [x, scale, shift]
        epsilon = self._shape.epsilon
        return self._node("LayerNormalization", inputs, output, axis=-1, epsilon=epsilon)

    def _attention(self, name: str, x: str, output: str) -> str:
        parts = [f"{name}.{part}" for part in ("query", "key", "value")]
        weight = np.concatenate([self._weights[f"{part}.weight"] for part in parts]).T
        biases = np.concatenate([self._weights[f"{part}.bias"] for part in parts])
        bias, heads = self._constant(f"{name}.bias", biases), self._shape.heads
        if self._ranges is None:
            self._seen.append(x)
            inputs = [x, self._constant(name, weight), bias, LENGTHS]
            return self._node("Attention", inputs, output, CONTRIB, num_heads=heads)
        bytes_, scale, zero = self._quantized(x, self._ranges)
        weights, factors = self._in_bytes(name, weight)
        inputs = [bytes_, weights, bias, scale, factors, LENGTHS, zero]
        return self._node("QAttention", inputs, output, CONTRIB, num_heads=heads)

    def _dense(self, name: str, x: str) -> str:
        weight = self._weights[f"{name}.weight"].T
        bias = self._constant(f"{name}.bias", self._weights[f"{name}.bias"])
        if self._ranges is None:
            self._seen.append(x)
            product = self._node("MatMul", [x, self._constant(name, weight)], f"{name}.product")
            return self._node("Add", [product, bias], f"{name}.y")
        bytes_, scale, zero = self._quantized(x, self._ranges)
        weights, factors = self._in_bytes(name, weight)
        inputs = [bytes_, weights, scale, factors, zero, "", bias]
        return self._node("MatMulIntegerToFloat", inputs, f"{name}.y", CONTRIB)

    def _in_bytes(self, name: str, weight: NDArray[np.float32]) -> tuple[str, str]:
        factors = np.maximum(np.abs(weight).max(axis=0), 1e-9) / self._most
        rounded = np.rint(weight / factors).astype(np.int8)
        scales = self._constant(f"{name}.factors", factors.astype(np.float32))
        return self._constant(name, rounded), scales

    def _quantized(self, x: str, ranges: Ranges) -> tuple[str, str, str]:
        low, high = ranges[x]
        step = max((high - low) / 255, 1e-9)
        scale = self._constant(f"{x}.scale", np.float32(step))
        zero = self._constant(f"{x}.zero", np.uint8(np.clip(round(-low / step), 0, 255)))
        return self._node("QuantizeLinear", [x, scale, zero], f"{x}.bytes"), scale, zero
