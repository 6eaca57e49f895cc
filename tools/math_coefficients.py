#!/usr/bin/env python3
# math_coefficients.py -- functions and intervals -> src/kernels/math/coefficients.hpp: near-minimax polynomials.
#
# Needs mpmath.
#   tools/math_coefficients.py > src/kernels/math/coefficients.hpp
from mpmath import binomial, cos, erfc, exp, expm1, findroot, log, log1p, mp, mpf, pi, sqrt, tanh
from polynomial_fit import chebyshev, literal, minimax, worst

def rest(x, bits=24):
    """What rounding x to f32 (f64: 53 bits) leaves."""
    m, e = mp.frexp(x)
    return x - mpf(int(mp.nint(m * 2**bits))) * mpf(2)**(int(e) - bits)


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
        if name == "kMills":
            print("// What rounding the first of them left.")
            print(f"template <>\ninline constexpr {type_} kMillsRest<{type_}> = {literal(rest(poly[0], bits), bits)}{suffix};")
    print()


half = log(mpf(2)) / 2
print("""// coefficients.hpp -- polynomials of the math kernels, lowest power first. Made by tools/math_coefficients.py.
#pragma once

// clang-format off
namespace pawl::PAWL_ISA_NS::coefficients {
""")
for n in ("kExp", "kLog", "kMills"):
    print("template <class T>\ninline constexpr T " + n + "[1] = {};")
print("template <class T>\ninline constexpr T kMillsRest = 0;")
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
print("// What rounding those left, as a share of them.")
print("alignas(64) inline constexpr float kPower16Rest[16] = {"
      + ", ".join(literal(rest(mpf(2)**(mpf(j) / 16)) / mpf(2)**(mpf(j) / 16), 24) + "f" for j in range(16)) + "};")
print()


def round_to(x, bits):
    m, e = mp.frexp(x)
    return mp.nint(m * mpf(2)**bits) * mpf(2)**(int(e) - bits)


def centre_of(f, low, high):
    """Of the f32 nearest the middle, the first one whose f is an f32 but for 2^-8 of its last place (S. Gal's accurate
    tables), or the best of them where f hardly changes."""
    middle = round_to((low + high) / 2, 24)
    step = mpf(2)**(int(mp.frexp(middle)[1]) - 24)
    best = None
    for k in range(2000):
        c = middle + ((k + 1) // 2) * (-step if k % 2 else step)
        value = f(c)
        miss = abs(value - round_to(value, 24)) / abs(value)
        if best is None or miss < best[0]:
            best = miss, c
        if miss < mpf(2)**-32:
            break
    return best[1]


def piece(f, low, high, degree, through_zero, lean=0):
    """(coefficients, centre, relative error) of f on one interval, in the distance from a point near its middle, or
    that share of half the interval above it: where f falls steeply, what rounds at its small end is then smaller; a
    function through 0 is f(x) / x times x on the interval that begins there, so that it keeps its digits."""
    if through_zero and low == 0:
        quotient = lambda x: f(x) / x if abs(x) > mpf(10)**-25 else f(mpf(10)**-25) * mpf(10)**25
        # The lowest node is 0, so that the constant, 1 or 1/2, needs no rounding.
        below = high - 2 * high / (1 + cos(pi / (2 * degree)))
        poly = chebyshev(quotient, below, high, degree - 1)
        return [mpf(0)] + poly, mpf(0), worst(quotient, poly, mpf(0), high) / quotient(mpf(0))
    centre = centre_of(f, low + lean * (high - low), high)
    shifted = lambda d: f(centre + d)
    poly = chebyshev(shifted, low - centre, high - centre, degree)
    error = worst(shifted, poly, low - centre, high - centre) / min(abs(f(low)), abs(f(high)))
    return [f(centre)] + poly[1:], centre, error


def finest_piece(f, low, high, degree, through_zero):
    """As piece(), the error being the least as a share of f. The point is one where it is 0, the nearest to the middle,
    so that the constant term costs nothing; a function through 0 is x / 2 there."""
    if through_zero and low == 0:
        quotient = lambda x: f(x) / x
        poly, error = minimax(lambda x: quotient(x) - mpf(1) / 2, quotient, high / 1000, high, range(1, degree))
        return [mpf(0), mpf(1) / 2] + poly, mpf(0), error
    middle = (low + high) / 2
    shifted = lambda d: f(middle + d)
    poly, error = minimax(shifted, shifted, low - middle, high - middle, range(degree + 1))
    miss = lambda d: sum(c * d**i for i, c in enumerate(poly)) - shifted(d)
    steps = [(high - low) * k / 200 for k in range(-100, 100)]
    zeros = [d for d, after in zip(steps, steps[1:]) if (miss(d) > 0) != (miss(after) > 0)]
    zero = findroot(miss, min(zeros, key=abs), tol=mpf(10)**-40)
    half_width = 1000 * mpf(2)**(int(mp.frexp(middle)[1]) - 24)
    centre = centre_of(f, middle + zero - half_width, middle + zero + half_width)
    moved = [sum(c * binomial(i, k) * (centre - middle)**(i - k) for i, c in enumerate(poly) if i >= k)
             for k in range(degree + 1)]
    return [f(centre)] + moved[1:], centre, error


def pieces(name, note, f, bounds, degree, through_zero=True, lean=lambda place: 0, keep=None, finest=False):
    """One polynomial per interval; a table has a row for each power, the last row are the points that distances are
    taken from. Distances are exact, and the constant terms nearly so. `bounds` maps places of the table to intervals, of
    which the first `keep` are printed."""
    size = keep or len(bounds)
    rows, error = [[mpf(0)] * size for _ in range(degree + 2)], mpf(0)
    for place, (low, high) in list(bounds.items())[:size]:
        poly, centre, here = (finest_piece(f, low, high, degree, through_zero) if finest else
                              piece(f, low, high, degree, through_zero, lean(place)))
        error = max(error, here)
        for row, value in zip(rows, poly + [centre]):
            row[place] = value
    print(f"// {note}; relative error 2^{float(log(error, 2)):.1f}; the last row: the points")
    print(f"alignas(64) inline constexpr float {name}[{degree + 2}][{size}] = {{")
    for row in rows:
        print("  {" + ", ".join(literal(c, 24) + "f" for c in row) + "},")
    print("};")
    print()


def by_octaves(scale, each):
    """Intervals of a: `each` to an octave of s = scale a + 1 from 1 to 16, found by the bits of that float."""
    at = lambda e, part: (mpf(2)**e * (1 + mpf(part) / each) - 1) / scale
    return {((e + 127) * each + part) % (4 * each): (at(e, part), at(e, part + 1))
            for e in range(4) for part in range(each)}


def even_pieces(name, note, f, end, count, degree, through_zero=True, finest=False):
    """`count` intervals of a from 0 to `end`: the nearest integer to a times their number to 1."""
    width = mpf(end) / (count - mpf(1) / 2)
    bounds = {n: (max(mpf(0), (n - mpf(1) / 2) * width), (n + mpf(1) / 2) * width) for n in range(count)}
    print(f"inline constexpr float {name}PerOne = {literal(1 / width, 24)}f;")
    pieces(name, f"{note}, a < {end}", f, bounds, degree, through_zero, finest=finest)


def curved_pieces(name, note, f, end, bend, degree, count=16, **options):
    """`count` intervals of a from 0 to `end`, that grow shorter: the nearest integer to a (a + bend) times a number."""
    per_unit = (count - mpf(1) / 2) / (mpf(end) * (mpf(end) + bend))
    at = lambda u: (sqrt(bend**2 + 4 * u / per_unit) - bend) / 2
    bounds = {n: (at(max(mpf(0), n - mpf(1) / 2)), at(n + mpf(1) / 2)) for n in range(count)}
    print(f"inline constexpr float {name}Square = {literal(per_unit, 24)}f, {name}Linear = {literal(per_unit * bend, 24)}f;")
    pieces(name, f"{note}, a < {end}", f, bounds, degree, **options)


def power_table(name, factor, note):
    """factor 2^(j/16), and what rounding left as a share of it."""
    values = [factor * mpf(2)**(mpf(j) / 16) for j in range(16)]
    print(f"// {note}, and what rounding those left, as a share of them.")
    print(f"alignas(64) inline constexpr float {name}[16] = {{" + ", ".join(literal(v, 24) + "f" for v in values) + "};")
    print(f"alignas(64) inline constexpr float {name}Rest[16] = {{"
          + ", ".join(literal(rest(v) / v, 24) + "f" for v in values) + "};")


# The uppermost interval, from 8.54 on, is 1, less than 1.3 ulp away: tanh of infinity has to be 1.
pieces("kTanhPieces", "tanh(a), a < 9.14", lambda a: tanh(a) if a < mpf("8.5") else mpf(1),
       by_octaves(mpf("1.64"), 8), 4)
# The tail of t exp(t^2/2) Phi(-t) by 1 / t^2: 1 / sqrt(2 pi), which the table of powers has, times 1 + that polynomial.
tail = lambda w: exp(1 / w / 2) * erfc(1 / sqrt(2 * w)) / sqrt(w) / 2 * sqrt(2 * pi)
low, high = 1 / mpf(15)**2, 1 / mpf("5.4")**2
poly = chebyshev(lambda w: (tail(w) - 1) / w, low, high, 4)
error = max(abs(1 + w * sum(c * w**i for i, c in enumerate(poly)) - tail(w)) for w in
            (low + (high - low) * k / 1000 for k in range(1001)))
print("// (sqrt(2 pi) t exp(t^2/2) Phi(-t) - 1) t^2 by 1 / t^2, 5.4 <= t <= 15;"
      f" error of the first factor 2^{float(log(error, 2)):.1f}")
print("inline constexpr float kMillsTail[] = {" + ", ".join(literal(c, 24) + "f" for c in poly) + "};")
power_table("kNormalPower16", 1 / sqrt(2 * pi), "2^(j/16) / sqrt(2 pi)")
print()
even_pieces("kSigmoidPieces", "1 / (1 + e^a)", lambda a: 1 / (1 + exp(a)), "9.01", 16, 5, False)
gelu = lambda a: a * erfc(a / sqrt(mpf(2))) / 2
# The first 16 of 32 intervals to 9.03 end at 6.04.
curved_pieces("kGeluPieces", "a Phi(-a)", gelu, "9.03", 2.25, 7, count=32,
              lean=lambda place: mpf("0.3") if place >= 5 else 0, keep=16)
gelu_tanh = lambda a: a / (1 + exp(2 * sqrt(2 / pi) * (a + mpf("0.044715") * a**3)))
gelu_tanh_note = "a / (1 + exp(2 sqrt(2 / pi) (a + 0.044715 a^3)))"
curved_pieces("kGeluTanhPieces", gelu_tanh_note, gelu_tanh, "5.11", 1.5, 7)
# Twice as many intervals, of a lower degree.
even_pieces("kSigmoidFinePieces", "1 / (1 + e^a)", lambda a: 1 / (1 + exp(a)), "9.01", 32, 4, False, finest=True)
curved_pieces("kGeluFinePieces", "a Phi(-a)", gelu, "5.8", 5, 5, count=32, finest=True)
curved_pieces("kGeluTanhFinePieces", gelu_tanh_note, gelu_tanh, "5.11", mpf("3.5"), 5, count=32, finest=True)


def nearly_exact(c, bits, places, miss):
    """A number near 1 / c whose logarithm is, but for 2^-miss, a multiple of 2^-places (S. Gal's accurate tables)."""
    if c == 1:
        return mpf(1), mpf(0)
    bits -= c < 1  # 1 / c is above 1 then
    start, stride = int(mp.nint(mpf(2)**bits / c)), 2**(bits // 2) + 1 if bits > 24 else 1
    for step in range(10**6):
        inverse = mpf(start + (step + 1) // 2 * (-stride if step % 2 else stride)) / mpf(2)**bits
        scaled = -log(inverse) * mpf(2)**places
        if abs(scaled - mp.nint(scaled)) < mpf(2)**(places - miss):
            return inverse, mp.nint(scaled) / mpf(2)**places
    raise ValueError(c)


def lookup(type_, name, values):
    bits, suffix = (24, "f") if type_ == "float" else (53, "")
    print(f"alignas(64) inline constexpr {type_} {name}[16] = {{"
          + ", ".join(literal(v, bits) + suffix for v in values) + "};")


def log_tables():
    """x = 2^e m with 0.75 <= m < 1.5 and c = m rounded to sixteenths: log x = e ln 2 + log c + log(1 + r), r = m / c - 1."""
    mp.dps = 30
    print("// 1 / c and log c for c = k / 16, 12 <= k <= 24, at place k mod 16; log c but for 2^-35 (f32), 2^-63 (f64).")
    for type_, bits, places, miss in (("float", 24, 25, 35), ("double", 53, 53, 63)):
        inverses, logarithms = [mpf(0)] * 16, [mpf(0)] * 16
        for k in range(12, 25):
            inverses[k % 16], logarithms[k % 16] = nearly_exact(mpf(k) / 16, bits, places, miss)
        lookup(type_, "kInverse" + type_.capitalize(), inverses)
        lookup(type_, "kLogarithm" + type_.capitalize(), logarithms)
        if type_ == "double":
            print("// log c, exactly those of kInverseDouble, with 42 bits after the point, and the rest.")
            exact = [-log(v) if v else mpf(0) for v in inverses]
            high = [mp.nint(v * mpf(2)**42) / mpf(2)**42 for v in exact]
            lookup(type_, "kLogarithmHigh", high)
            lookup(type_, "kLogarithmLow", [a - b for a, b in zip(exact, high)])
    print()
    mp.dps = 80
    bound = mpf(1) / 23

    def first(r):
        return (log1p(r) - r) / r**2 if abs(r) > mpf(10)**-20 else mpf(-1) / 2

    def second(r):
        return (log1p(r) - r + r**2 / 2) / r**3 if abs(r) > mpf(10)**-15 else mpf(1) / 3

    for type_, bits, suffix, name, note, f, degree in (
            ("float", 24, "f", "kLogFirst32", "(log(1 + r) - r) / r^2", first, 3),
            ("double", 53, "", "kLogFirst64", "(log(1 + r) - r) / r^2", first, 9),
            ("double", 53, "", "kLogShort", "(log(1 + r) - r) / r^2", first, 5),
            ("double", 53, "", "kLogSecond", "(log(1 + r) - r + r^2 / 2) / r^3", second, 9)):
        poly = chebyshev(f, -bound, bound, degree)
        print(f"// {note} for |r| <= 1/23; error 2^{float(log(worst(f, poly, -bound, bound), 2)):.1f}")
        print(f"inline constexpr {type_} {name}[] = {{" + ", ".join(literal(c, bits) + suffix for c in poly) + "};")
    poly = chebyshev(exp_rest, -half * 1.001, half * 1.001, 5)
    print(f"// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2; error 2^{float(log(worst(exp_rest, poly, -half, half), 2)):.1f}")
    print("inline constexpr double kExpShort[] = {" + ", ".join(literal(c, 53) for c in poly) + "};")
    print()


log_tables()
print("}  // namespace pawl::PAWL_ISA_NS::coefficients")
