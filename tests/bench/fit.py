# SPDX-License-Identifier: BSD-2-Clause
"""Whether a cost grows faster than linearly.

The measured costs are fitted by a + b x^p, with a and b not below 0 and the
errors taken relative to the cost. Growth is linear or better where some p of
at most 1 fits so well that no point lies further above the curve than noise
does: a cost that grows faster leaves its last points far above each of them.
"""
EXPONENTS = [i / 20 for i in range(21)]
FASTER = [1 + i / 20 for i in range(1, 61)]
# A fit with a greater exponent must be so much better to be believed, and a
# point so far above to count.
NOISE = 0.25


class Fit:
    def __init__(self, points, exponent):
        self.exponent = exponent
        self.a, self.b = _solve([(x ** exponent, y) for x, y in points])
        errors = [(y - self.at(x)) / y for x, y in points]
        self.squares = sum(e * e for e in errors)
        # How far the last point is above the curve, as part of itself.
        self.worst = max(y / self.at(x) - 1 for x, y in points)

    def at(self, x):
        return self.a + self.b * x ** self.exponent


def _solve(points):
    """a, b >= 0 with the least sum of ((y - a - b g) / y)^2."""
    def squares(pair):
        return sum(((y - pair[0] - pair[1] * g) / y) ** 2 for g, y in points)
    w = sum(1 / y ** 2 for _, y in points)
    g1 = sum(g / y ** 2 for g, y in points)
    g2 = sum(g * g / y ** 2 for g, y in points)
    y1 = sum(1 / y for _, y in points)
    gy = sum(g / y for g, y in points)
    found = [(y1 / w, 0), (0, gy / g2 if g2 else 0)]
    determinant = w * g2 - g1 * g1
    if determinant > 1e-12 * w * g2:
        both = ((y1 * g2 - gy * g1) / determinant,
                (w * gy - g1 * y1) / determinant)
        if min(both) >= 0:
            found.append(both)
    return min(found, key=squares)


def best(points, exponents):
    return min((Fit(points, p) for p in exponents), key=lambda f: f.squares)


def judge(points):
    """(the best fit of all, whether growth is linear or better)."""
    slow = best(points, EXPONENTS)
    fast = best(points, FASTER)
    if slow.worst <= NOISE or slow.squares <= fast.squares * 1.5:
        return slow, True
    return fast, False
