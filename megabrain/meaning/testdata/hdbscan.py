"""Writes hdbscan.json: what scikit-learn's HDBSCAN says about 1,000 random sets.

    python3 -m venv venv && venv/bin/pip install scikit-learn==1.9.1 numpy==2.2.6
    venv/bin/python hdbscan.py > hdbscan.json

The sets are drawn by a generator that the test in Go has, too, so that only the seeds and the
labels are written. With later versions of numpy, scikit-learn 1.9.1 fails where an epsilon joins
clusters. Labels are renamed in the order of their first points; -1 is noise.
"""

import json

import numpy as np
from sklearn.cluster import HDBSCAN

MASK = (1 << 64) - 1


def drawn(seed):
    """Returns the distances of a random set, all different, and its epsilon."""
    state = seed

    def draw(n):
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return (z ^ (z >> 31)) % n

    n, groups = 5 + draw(26), 1 + draw(4)
    points = []
    for _ in range(n):
        g, wide = draw(groups), 4 + 40 * (draw(6) == 0)
        points.append((60 * (g % 2) + draw(wide), 60 * (g // 2) + draw(wide)))
    d = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            (a, b), (x, y) = points[i], points[j]
            d[i, j] = d[j, i] = ((a - x) ** 2 + (b - y) ** 2 + 1) * 1024 + i * n + j
    return d, [0, 60_000, 400_000, 4_000_000][draw(4)]


def main():
    sets = []
    for seed in range(1000):
        d, epsilon = drawn(seed)
        found = HDBSCAN(metric="precomputed", min_cluster_size=2, min_samples=1, allow_single_cluster=True,
                        cluster_selection_epsilon=float(epsilon), copy=True).fit(d).labels_
        names = {-1: -1}
        sets.append([names.setdefault(int(c), len(names) - 1) for c in found])
    print("[" + ",\n".join(json.dumps(s, separators=(",", ":")) for s in sets) + "]")


main()
