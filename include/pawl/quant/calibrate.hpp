// calibrate.hpp -- samples of what will be quantized -> the range that its codes should cover.
//
// The range goes to choose_params_s8 or choose_params_u8. Cutting off outliers makes the steps of all other values
// finer.
#pragma once
#include <cstdint>
#include <span>

#include "pawl/quant/affine.hpp"

namespace pawl {

enum class Calibration : std::uint8_t {
  min_max,     ///< everything: no value is clipped
  percentile,  ///< all but a share of the values
  mse,         ///< the range of least mean squared error
  entropy,     ///< the range of least Kullback-Leibler divergence between the values and their 8-bit histogram
};

/// The range for values like the finite ones among x; {0, 0} if there is none.
///
/// percentile  symmetric: [-a, a] with a the quantile of |x| at `share`; affine: the quantiles of x at (1 - share) / 2
///             and (1 + share) / 2. Quantiles are elements of x: that at q is the element of rank ceil(q n), at
///             least 1.
/// mse         the range of min_max times 1, 0.99, 0.98 ... 0.01, whichever has the least mean squared error of 8-bit
///             codes; found on a histogram of 2048 bins, so that values are known to 1/8 of a step.
/// entropy     symmetric, [-t, t] (affine: cut to the values' range): t from 128 to 2048 bins of a histogram of |x|,
///             by the procedure of Migacz (8-bit Inference with TensorRT, 2017).
/// Cost        a few passes over x, and for percentile a copy of it.
/// Errors      std::invalid_argument unless 0 < share <= 1.
/// Reference   tests compute each by its definition.
FiniteRange calibrate(std::span<const float> x, Calibration method, QuantScheme scheme, double share = 0.9999);

}  // namespace pawl
