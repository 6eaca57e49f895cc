// moderation.hpp -- the variances of many benchmarks -> what each borrows from the others.
#pragma once
#include <cstddef>
#include <vector>

namespace pawl::decide {

/// A sample variance and its degrees of freedom.
struct Variance {
  double value = 0, df = 0;
};

/// The distribution that the true variances come from: scaled inverse chi-square with d0 degrees of freedom around
/// s0^2.
struct Prior {
  double d0 = 0;  ///< 0: nothing is known; infinite: all variances are one
  double s0_sq = 0;
};

/// Estimates the prior from variances with df >= 1 by the moments of their logarithms.
/// Source     G. K. Smyth, "Linear models and empirical Bayes methods for assessing differential expression in
///            microarray experiments", Statistical Applications in Genetics and Molecular Biology 3(1), 2004,
///            section 6.2.
/// Below kFewest variances nothing is borrowed: d0 = 0.
Prior estimate_prior(const std::vector<Variance>& variances);
inline constexpr std::size_t kFewest = 5;  // with fewer the moments say more about chance than about the benchmarks

/// (d0 s0^2 + d s^2) / (d0 + d), with d0 + d degrees of freedom, at most `total_df` of them.
Variance moderate(const Variance& sample, const Prior& prior, double total_df);

}  // namespace pawl::decide
