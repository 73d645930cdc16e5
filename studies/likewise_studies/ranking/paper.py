"""What tables 2 to 7 of Shen & Lin print: active sampling for linear bipartite ranking.

Their 14 data sets, in their order; B = 8000, b = 100, C = 0.1, gamma = 1 but for table 7.
"""

from __future__ import annotations

SETS = (
    "letter", "protein", "news20", "rcv1", "a9a", "bank", "ijcnn1", "shuttle", "mnist", "connect",
    "acoustic", "real-sim", "covtype", "url",
)  # fmt: skip

# Wins, ties and losses of soft against hard sampling, as printed.
TABLE_2 = {"close": "9/3/1", "correct": "12/0/1"}


def _by_set(**columns: str) -> dict[str, dict[str, float]]:
    """Columns of numbers in the order of SETS, as {set: {column: number}}."""
    rows = {name: tuple(map(float, text.split())) for name, text in columns.items()}
    return {
        each: {name.replace("_", "-"): row[i] for name, row in rows.items()}
        for i, each in enumerate(SETS)
    }


# What correcting the bias adds to the AUC.
TABLE_3 = _by_set(
    soft_close="-1.0540e-03 -1.0400e-03 -3.2210e-03 -5.4200e-04 -3.3000e-05 -2.2160e-03 "
    "-2.9800e-04 -9.3600e-04 2.7600e-04 -7.1700e-04 -2.6960e-03 -8.2700e-04 -1.7220e-03 3.8000e-05",
    soft_correct="-2.4430e-03 9.3760e-03 -2.9550e-03 -9.6000e-05 2.1680e-03 4.5100e-04 "
    "7.3300e-04 3.0700e-04 2.4700e-04 3.2030e-03 4.9000e-05 -1.8710e-03 2.8380e-03 -2.7900e-04",
)

# AUC, and its standard deviation over 10 initial pools.
TABLE_4 = _by_set(
    wsvm=".9808 .8329 .9379 .9876 .9008 .8932 .9335 .9873 .9985 .8603 .8881 .9861 .8047 .9963",
    ranksvm=".9877 .8302 .9753 .9916 .9047 .9023 .9343 .9876 .9983 .8613 .8911 .9908 .8228 .9967",
    crr=".9874 .8306 .9743 .9755 .8999 .8972 .9336 .9888 .9973 .8532 .8931 .9907 .8189 .9956",
    random=".9883 .8229 .9828 .9920 .9003 .9051 .9342 .9894 .9967 .8594 .8952 .9908 .8238 .9940",
    soft_close=".9883 .8240 .9836 .9923 .9012 .9057 .9345 .9896 .9979 .8604 .8952 .9915 .8239 "
    ".9961",
    soft_correct=".9874 .8233 .9903 .9944 .9007 .9083 .9348 .9907 .9976 .8603 .8988 .9934 .8249 "
    ".9984",
)
SPREAD_4 = _by_set(
    random=".0003 .0031 .0008 .0004 .0006 .0010 .0004 .0001 .0004 .0008 .0005 .0003 .0008 .0003",
    soft_close=".0002 .0016 .0006 .0003 .0004 .0011 .0006 .0001 .0001 .0007 .0005 .0002 .0007 "
    ".0001",
    soft_correct=".0123 .0028 .0003 .0002 .0006 .0007 .0003 .0000 .0002 .0009 .0004 .0064 .0006 "
    ".0015",
)

# p-values of right-tail t-tests of soft-correct against the others.
TABLE_5 = _by_set(
    wsvm="6.0872e-02 1 0 9.9920e-16 7.5885e-01 4.8739e-14 3.9888e-07 0 1 4.9737e-01 1.2879e-14 "
    "2.6379e-03 1.8874e-15 8.6355e-04",
    ranksvm="5.3288e-01 9.9999e-01 1.1102e-16 3.3084e-12 1 1.8479e-10 6.4120e-04 0 1 9.9596e-01 "
    "2.4347e-13 1.1227e-01 8.2916e-07 2.8450e-03",
    crr="5.0330e-01 9.9999e-01 1.1102e-16 0 1.6240e-03 7.7538e-13 5.8033e-07 0 2.9349e-04 "
    "8.3323e-10 3.9567e-12 1.0641e-01 1.0664e-10 9.4953e-05",
    random="5.9297e-01 3.7558e-01 2.3546e-12 8.7937e-12 8.8260e-02 3.6276e-07 5.9807e-04 "
    "1.8632e-11 1.8367e-05 1.7698e-02 1.2940e-12 1.1297e-01 8.3370e-04 1.5206e-06",
    soft_close="5.9163e-01 7.5565e-01 2.8089e-14 6.9224e-12 9.8648e-01 1.2411e-05 8.8180e-02 "
    "2.5577e-12 9.9977e-01 5.3523e-01 1.4740e-12 1.8171e-01 2.3360e-03 4.1122e-04",
)

# CPU seconds.
TABLE_6 = _by_set(
    random="0.808 3.136 58.594 5.872 0.374 1.957 0.957 0.146 1.61 2.734 0.488 4.025 1.47 31.026",
    soft_close="1.53 2.943 56.506 6.318 0.504 2.301 1.508 0.288 2.851 3.229 0.624 4.35 1.801 "
    "31.011",
    soft_correct="19.602 4.29 66.394 21.789 1.065 4.644 4.031 3.02 56.604 5.493 1.03 11.648 2.739 "
    "163.022",
    hard_close="192.671 12.128 184.233 114.028 30.384 20.8064 107.002 26.307 205.135 117.047 33.39 "
    "318.702 800.539 122045.33",
    hard_correct="42.553 8.315 128.056 35.258 19.537 13.8512 79.32 17.577 50.174 121.359 41.167 "
    "139.042 5739.97 285394.18",
    wsvm="0.29 0.85 20.1 1.83 0.28 0.142 0.69 0.18 4.92 2.5 1.82 3.15 6.41 116.61",
    ranksvm="0.72 4.9 10.64 2.54 4.25 5.624 2.75 0.98 22.38 15.42 11.57 7.58 29.54 594.82",
    crr="0.15 0.99 4.55 0.77 0.31 0.3 0.28 0.36 2.75 0.78 1.93 1.78 3.3 58.1",
)

# The best gamma for soft-close and soft-correct; "thres" where points have a threshold.
TABLE_7 = {
    "letter": ("uniform, uniform-thres", "0.9, 0.9-thres"),
    "protein": ("1", "0.4-thres"),
    "news20": ("uniform, 1, uniform-thres", "uniform, 1, uniform-thres"),
    "rcv1": ("uniform, 1, uniform-thres", "uniform, 1, uniform-thres"),
    "a9a": ("uniform, uniform-thres", "0.6-thres"),
    "bank": ("1", "uniform, 1, uniform-thres"),
    "ijcnn1": ("1, uniform-thres", "0.8, 0.9, 1, uniform-thres, 0.9-thres"),
    "shuttle": ("0.1-thres, 0.2-thres", "uniform-thres"),
    "mnist": ("0.1", "0.6"),
    "connect": ("uniform, 1, uniform-thres", "uniform, 1, uniform-thres"),
    "acoustic": ("1", "uniform, 1, uniform-thres"),
    "real-sim": ("uniform, 1, uniform-thres", "uniform, uniform-thres"),
    "covtype": ("uniform, 1", "uniform, 0.9, 1, uniform-thres, 0.9-thres"),
    "url": ("uniform, 1, uniform-thres", "0.8"),
}
