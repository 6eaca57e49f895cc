# polynomial_fit.py -- a function on an interval -> a minimax polynomial or nearly so, and numbers as literals of C++.
#
# Chebyshev interpolation in 80 digits: for smooth functions within a factor 2 of the minimax error (Trefethen,
# Approximation Theory and Approximation Practice, ch. 16). Remez' exchange (the same book, ch. 10) where the error counts
# as a share of a function that changes much over the interval. Needs mpmath.
from mpmath import cos, lu_solve, matrix, mp, mpf, pi

mp.dps = 80


def chebyshev(f, a, b, degree):
    """Coefficients, lowest first, of the polynomial of `degree` through f at the Chebyshev nodes of [a, b]."""
    n = degree + 1
    nodes = [(a + b) / 2 + (b - a) / 2 * cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    # Newton's divided differences, expanded.
    table = [f(x) for x in nodes]
    for level in range(1, n):
        for k in range(n - 1, level - 1, -1):
            table[k] = (table[k] - table[k - 1]) / (nodes[k] - nodes[k - level])
    poly = [mpf(0)]
    for k in range(n - 1, -1, -1):
        shifted = [mpf(0)] + poly
        for i, c in enumerate(poly):
            shifted[i] -= nodes[k] * c
        shifted[0] += table[k]
        poly = shifted
    return poly[:n]


def minimax(f, whole, a, b, powers):
    """(coefficients by power, error) of the polynomial of these powers whose largest error on [a, b], as a share of
    `whole`, which has no zero there, is least."""
    n = len(powers) + 1
    grid = [(a + b) / 2 - (b - a) / 2 * cos(pi * k / 300) for k in range(301)]
    values, wholes = [f(x) for x in grid], [whole(x) for x in grid]
    at = [round(300 * k / (n - 1)) for k in range(n)]
    for _ in range(20):
        solved = lu_solve(matrix([[grid[i]**p for p in powers] + [(-1)**k * wholes[i]] for k, i in enumerate(at)]),
                          matrix([values[i] for i in at]))
        poly, level = list(solved[:n - 1]), abs(solved[n - 1])
        share = [(sum(c * x**p for c, p in zip(poly, powers)) - v) / w for x, v, w in zip(grid, values, wholes)]
        runs = [[0]]  # of one sign each, whose peaks are the next points
        for i in range(1, len(grid)):
            if (share[i] > 0) == (share[i - 1] > 0):
                runs[-1].append(i)
            else:
                runs.append([i])
        peaks = [max(run, key=lambda i: abs(share[i])) for run in runs]
        while len(peaks) > n:
            peaks.pop(0 if abs(share[peaks[0]]) < abs(share[peaks[-1]]) else -1)
        if len(peaks) < n or max(abs(e) for e in share) < level * mpf("1.001"):
            break
        at = peaks
    return poly, max(abs(e) for e in share)


def worst(f, poly, a, b):
    """Largest |poly - f| on 1000 points."""
    return max(abs(sum(c * x**i for i, c in enumerate(poly)) - f(x))
               for x in (a + (b - a) * mpf(k) / 1000 for k in range(1001)))


def literal(x, bits):
    """The nearest value of `bits` significant bits as a hexadecimal literal; exact, whatever reads it."""
    m, e = mp.frexp(mpf(x))
    m = int(mp.nint(m * 2**bits))
    while m and m % 2 == 0:
        m, e = m // 2, e + 1
    return f"{'-' if m < 0 else ''}0x{abs(m):x}p{int(e) - bits:+d}"
