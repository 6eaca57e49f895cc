// quantiles.hpp -- Student's t quantiles for many degrees of freedom, each computed once.
#pragma once

namespace pawl::decide {

/// t_quantile_two_sided(p, df). Whole df are taken as they are, others rounded down (the cautious side) to steps of
/// 0.2 %, so that a suite of 100,000 rows asks for some thousand quantiles; a quantile is at most 0.5 % too large for
/// df >= 1. Infinite for df <= 0. It remembers what it computed, for each thread apart; the answers do not depend on
/// it.
double t_quantile(double p, double df);

}  // namespace pawl::decide
