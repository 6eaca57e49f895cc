// fft.hpp -- discrete Fourier transforms: everything under pawl::fft.
//
// Forward: X[k] = sum of x[j] exp(-2 pi i j k / n) for j < n; inverse: the same with +. Any length from 1 on; lengths
// whose prime factors are at most 13 are the fastest.
#pragma once
#include "pawl/fft/convolution.hpp"
#include "pawl/fft/frequencies.hpp"
#include "pawl/fft/nd_plan.hpp"
#include "pawl/fft/plan.hpp"
#include "pawl/fft/plan_cache.hpp"
#include "pawl/fft/real_nd_plan.hpp"
#include "pawl/fft/real_plan.hpp"
