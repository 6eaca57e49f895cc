// quant.hpp -- everything of quantization: 16-bit floats, integers with scales, products of quantized matrices.
#pragma once
#include "pawl/quant/affine.hpp"
#include "pawl/quant/calibrate.hpp"
#include "pawl/quant/half.hpp"
#include "pawl/quant/half_matmul.hpp"
#include "pawl/quant/int8_matmul.hpp"
#include "pawl/quant/low_bits.hpp"
#include "pawl/quant/low_bits_matmul.hpp"
