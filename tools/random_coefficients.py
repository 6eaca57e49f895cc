#!/usr/bin/env python3
# random_coefficients.py -- sine and cosine of turns -> src/kernels/random/random_coefficients.hpp.
#
#   tools/random_coefficients.py > src/kernels/random/random_coefficients.hpp
from mpmath import cos, log, mpf, pi, sin, sqrt
from polynomial_fit import chebyshev, literal, worst


def sine(z):
    t = sqrt(z) if z > mpf(10)**-30 else mpf(10)**-15
    return sin(pi / 2 * t) / t


def cosine(z):
    if z < mpf(10)**-24:
        return -pi**2 / 8
    return (cos(pi / 2 * sqrt(z)) - 1) / z


print("""// random_coefficients.hpp -- sine and cosine of quarter turns, lowest power first. Made by tools/random_coefficients.py.
#pragma once

// clang-format off
namespace pawl::PAWL_ISA_NS::coefficients {
""")
for name in ("kSineOfQuarter", "kCosineOfQuarter"):
    print("template <class T>\ninline constexpr T " + name + "[1] = {};")
for name, note, f, degree in (("kSineOfQuarter", "sin(t pi / 2) / t", sine, {"float": 3, "double": 6}),
                              ("kCosineOfQuarter", "(cos(t pi / 2) - 1) / z", cosine, {"float": 3, "double": 6})):
    for type_, bits, suffix in (("float", 24, "f"), ("double", 53, "")):
        poly = chebyshev(f, mpf(0), mpf("0.2501"), degree[type_])
        error = worst(f, poly, mpf(0), mpf("0.2501"))
        print(f"// {note}, z = t^2, |t| <= 1/2; error 2^{float(log(error, 2)):.1f}")
        print("template <>")
        print(f"inline constexpr {type_} {name}<{type_}>[] = {{"
              + ", ".join(literal(c, bits) + suffix for c in poly) + "};")
print("\n}  // namespace pawl::PAWL_ISA_NS::coefficients")
