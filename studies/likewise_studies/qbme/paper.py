"""What tables 1 to 8 of Zhang & Lee (2009) print, "Query-By-Multiple-Examples using SVMs"."""

from __future__ import annotations

from typing import NamedTuple


class Printed(NamedTuple):
    prbep: float
    ap: float
    seconds: float | None
    nonzeros: float


PRINTED: dict[str, dict[str, Printed]] = {
    "news20": {
        "centroid": Printed(0.4299, 0.4011, None, 11533),
        "1c": Printed(0.3874, 0.3436, 0.0250, 5179),
        "rocchio": Printed(0.6628, 0.6867, None, 41023),
        "ba": Printed(0.7969, 0.8200, 0.8905, 22919),
        "pr": Printed(0.7976, 0.8236, 7.1325, 22943),
    },
    "siam-competition2007": {
        "centroid": Printed(0.2453, 0.2115, None, 9627),
        "1c": Printed(0.2618, 0.2239, 0.0327, 3597),
        "rocchio": Printed(0.4754, 0.4627, None, 19146),
        "ba": Printed(0.5685, 0.5635, 1.0409, 12258),
        "pr": Printed(0.5613, 0.5565, 43.0641, 12348),
    },
    "mediamill-exp1": {
        "centroid": Printed(0.4627, 0.4747, None, 120),
        "1c": Printed(0.4705, 0.4835, 0.1560, 120),
        "rocchio": Printed(0.5364, 0.5555, None, 120),
        "ba": Printed(0.6472, 0.6735, 3.6140, 120),
        "pr": Printed(0.6493, 0.6727, 731.3120, 120),
    },
    "reuters-21578": {
        "centroid": Printed(0.6278, 0.6833, None, 1306),
        "1c": Printed(0.6531, 0.6974, 0.0169, 1048),
        "rocchio": Printed(0.6474, 0.7138, None, 7241),
        "ba": Printed(0.6621, 0.7194, 1.8042, 4786),
        "pr": Printed(0.6711, 0.7289, 1.9352, 4391),
    },
}
EFFECTIVENESS = {"news20": 1, "siam-competition2007": 2, "mediamill-exp1": 3, "reuters-21578": 4}
EFFICIENCY = {"news20": 5, "siam-competition2007": 6, "mediamill-exp1": 7, "reuters-21578": 8}
FIGURES = {"news20": 1, "siam-competition2007": 2}

# Table 9, the query vector, and table 10, what is optimised and how training time grows.
VECTORS = {
    "centroid": "Σ (1/l) x_i over P",
    "1c": "Σ α_i x_i over P, α_i ≥ 0",
    "rocchio": "Σ (1/l) x_i over P − Σ (1/u) x_j over U",
    "ba": "Σ α_i x_i over P and U",
    "pr": "Σ α_i x_i over P and U",
}
OPTIMISED = {
    "1c": ("one-class accuracy", "linear in l", "linear in l"),
    "ba": ("balanced accuracy", "linear in l + u", "linear in l + u"),
    "pr": ("precision × recall", "polynomial in l + u", "n log n a cut, n = l + u"),
    "p@k, r@k": ("precision or recall at k", "polynomial in l + u", "n log n a cut, n = l + u"),
}
