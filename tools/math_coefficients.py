#!/usr/bin/env python3
# math_coefficients.py -- functions and intervals -> src/kernels/math/coefficients.hpp: near-minimax polynomials.
#
# Chebyshev interpolation in 80 digits: for functions as smooth as these within a factor 2 of the minimax error
# (Trefethen, Approximation Theory and Approximation Practice, ch. 16). Needs mpmath.
#   tools/math_coefficients.py > src/kernels/math/coefficients.hpp
from mpmath import cos, erfc, exp, expm1, log, log1p, mp, mpf, pi, sqrt, tanh

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


def rest(x):
    """What rounding x to f32 leaves."""
    m, e = mp.frexp(x)
    return x - mpf(int(mp.nint(m * 2**24))) * mpf(2)**(int(e) - 24)


def emit(name, note, f, a, b, degree):
    """One constant per type: f, a, b and degree are functions of the type's name."""
    for type_, bits, suffix in (("float", 24, "f"), ("double", 53, "")):
        low, high = mpf(a(type_)), mpf(b(type_))
        poly = chebyshev(f(type_), low, high, degree[type_])
        error = worst(f(type_), poly, low, high)
        print(f"// {note}; error 2^{float(log(error, 2)):.1f}")
        print("template <>")
        print(f"inline constexpr {type_} {name}<{type_}>[] = {{"
              + ", ".join(literal(c, bits) + suffix for c in poly) + "};")
    print()


half = log(mpf(2)) / 2
print("""// coefficients.hpp -- polynomials of the math kernels, lowest power first. Made by tools/math_coefficients.py.
#pragma once

// clang-format off
namespace pawl::PAWL_ISA_NS::coefficients {
""")
for n in ("kExp", "kLog", "kMills"):
    print("template <class T>\ninline constexpr T " + n + "[1] = {};")
print()


def exp_rest(r):
    return (expm1(r) - r) / r**2 if abs(r) > mpf(10)**-20 else mpf(1) / 2


emit("kExp", "(exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2", lambda _: exp_rest, lambda _: -half * 1.001,
     lambda _: half * 1.001, {"float": 4, "double": 9})


# log(1 + f) = f - f^2/2 + s (f^2/2 + z P(z)), s = f / (2 + f), z = s^2 (the identity that fdlibm's log uses).
def log_rest(z):
    s = sqrt(z if z > mpf(10)**-20 else mpf(10)**-20)
    return ((log1p(s) - log1p(-s)) / s - 2) / s**2


emit("kLog", "(log((1 + s) / (1 - s)) / s - 2) / z, z = s^2, |s| <= 0.2", lambda _: log_rest, lambda _: 0,
     lambda _: mpf(0.0401), {"float": 3, "double": 7})


# Phi(-t) = exp(-t^2/2) R(t), and (1 + t) R(t) is nearly a polynomial in q = (t - K) / (t + K).
CENTRE = {"float": 4, "double": 6}
LARGEST = {"float": 15, "double": 40}  # beyond, t Phi(-t) is below half the smallest denormal number


def mills(type_):
    def f(q):
        t = CENTRE[type_] * (1 + q) / (1 - q)
        return (1 + t) * exp(t * t / 2) * erfc(t / sqrt(mpf(2))) / 2
    return f


emit("kMills", "(1 + t) exp(t^2/2) Phi(-t) in q = (t - K) / (t + K), K = 4 (f32), 6 (f64)", mills, lambda _: -1,
     lambda t: mpf(LARGEST[t] - CENTRE[t]) / (LARGEST[t] + CENTRE[t]), {"float": 10, "double": 22})
print("// 2^f = 1 + f P(f) for |f| <= 1/32, and 2^(j/16): AVX-512 looks the latter up in a register.")
step = mpf(1) / 32
poly = chebyshev(lambda f: (2**f - 1) / f if abs(f) > mpf(10)**-25 else log(mpf(2)), -step * 1.001, step * 1.001, 2)
print("inline constexpr float kExp2[] = {" + ", ".join(literal(c, 24) + "f" for c in poly) + "};")
print("alignas(64) inline constexpr float kPower16[16] = {"
      + ", ".join(literal(mpf(2)**(mpf(j) / 16), 24) + "f" for j in range(16)) + "};")
print("// What rounding those left.")
print("alignas(64) inline constexpr float kPower16Low[16] = {"
      + ", ".join(literal(rest(mpf(2)**(mpf(j) / 16)), 24) + "f" for j in range(16)) + "};")
print()


def piecewise(name, note, f, constant_from=None):
    """32 intervals, four to each octave from 1/16 to 16 (the first one reaches to 0), found by the five bits of a float
    above its 21st: centres, then polynomials of degree 5 in the distance from the centre."""
    degree, rows = 5, [[None] * 32 for _ in range(7)]
    error = mpf(0)
    for e in range(-4, 4):
        for part in range(4):
            low, high = mpf(2)**e * (1 + mpf(part) / 4), mpf(2)**e * (1 + mpf(part + 1) / 4)
            slot = ((e + 127) * 4 + part) % 32
            if (e, part) == (-4, 0):  # relative accuracy down to 0: f(x) / x, no constant term
                quotient = lambda x: f(x) / x if x > mpf(10)**-25 else f(mpf(10)**-25) * mpf(10)**25
                centre, poly = mpf(0), chebyshev(quotient, mpf(0), high, degree - 1)
                error = max(error, worst(quotient, poly, mpf(0), high))
                poly = [mpf(0)] + poly
            elif constant_from is not None and low >= constant_from:
                centre, poly = (low + high) / 2, [f(high)] + [mpf(0)] * degree
                error = max(error, abs(f(low) - f(high)))
            else:
                centre = (low + high) / 2
                shifted = lambda d: f(centre + d)
                poly = chebyshev(shifted, low - centre, high - centre, degree)
                error = max(error, worst(shifted, poly, low - centre, high - centre) / abs(f(centre)))
            for row, value in zip(rows, [centre] + poly):
                row[slot] = value
    print(f"// {note}; relative error 2^{float(log(error, 2)):.1f}")
    print(f"alignas(64) inline constexpr float {name}[7][32] = {{")
    for row in rows:
        print("  {" + ", ".join(literal(c, 24) + "f" for c in row) + "},")
    print("};")
    print()


piecewise("kTanhPieces", "tanh(a), a < 16", tanh, constant_from=10)
piecewise("kMillsPieces", "t exp(t^2/2) Phi(-t), t < 16", lambda t: t * exp(t * t / 2) * erfc(t / sqrt(mpf(2))) / 2)
print("}  // namespace pawl::PAWL_ISA_NS::coefficients")
