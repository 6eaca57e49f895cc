// distributions.hpp -- the distribution functions that verdicts need: Student's t, Fisher's F, digamma and
// trigamma.
//
// Own and small: Boost.Math would be the only dependency of the tool that is larger than the tool.
#pragma once

namespace pawl::decide {

/// Two-sided tail: the chance that |T| >= |t| for Student's t with df > 0 degrees of freedom (infinite df: normal).
/// Accuracy   relative 1e-10 against R's pt for df from 1 to 1e6 (tests).
/// Source     regularised incomplete beta by its continued fraction: DLMF 8.17.22; Lentz's evaluation.
double t_two_sided(double t, double df);

/// The t that a two-sided tail of `p` leaves outside, 0 < p < 1: by bisection of t_two_sided.
double t_quantile_two_sided(double p, double df);

/// Upper tail of Fisher's F: the chance that F >= f with `df_above` and `df_below` degrees of freedom, f > 0.
/// Accuracy and source as for t_two_sided.
double f_upper(double f, double df_above, double df_below);

/// Derivatives of log gamma for x > 0, relative 1e-12: recurrence to x >= 10, then the asymptotic series,
/// DLMF 5.11.2, 5.15.8.
double digamma(double x);
double trigamma(double x);

/// The x > 0 with trigamma(x) = y, y > 0: Newton's method as in Smyth (2004), appendix.
double trigamma_inverse(double y);

}  // namespace pawl::decide
