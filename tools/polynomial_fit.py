# polynomial_fit.py -- a function on an interval -> a near-minimax polynomial, and numbers as literals of C++.
#
# Chebyshev interpolation in 80 digits: for smooth functions within a factor 2 of the minimax error (Trefethen,
# Approximation Theory and Approximation Practice, ch. 16). Needs mpmath.
from mpmath import cos, mp, mpf, pi

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
