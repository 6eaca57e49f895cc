// onednn_conversions.cpp -- conversions by oneDNN's reorder primitive, made once and called again, as its manual says.
//
// A reorder converts between types with scales set as attributes. It has no search for the range, so no dynamic rows.
#include <omp.h>

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>

#include "benches/quantization/conversion_rows.hpp"

namespace pawl::bench {
namespace {

using Type = dnnl::memory::data_type;
using Dim = dnnl::memory::dim;

class Conversion {
 public:
  // mask: bit d is set if scales differ along dimension d.
  Conversion(Type from, Type to, std::size_t rows, std::size_t cols, int mask, const std::vector<float>& scales,
             std::int32_t zero_in, std::int32_t zero_out) {
    const dnnl::memory::dims dims{static_cast<Dim>(rows), static_cast<Dim>(cols)};
    in_ = dnnl::memory({dims, from, dnnl::memory::format_tag::ab}, engine_, nullptr);
    out_ = dnnl::memory({dims, to, dnnl::memory::format_tag::ab}, engine_, nullptr);
    dnnl::primitive_attr attributes;
    if (!scales.empty()) attributes.set_output_scales(mask, scales);
    if (zero_in) attributes.set_zero_points(DNNL_ARG_FROM, 0, {zero_in});
    if (zero_out) attributes.set_zero_points(DNNL_ARG_TO, 0, {zero_out});
    reorder_ = dnnl::reorder(dnnl::reorder::primitive_desc(in_, out_, attributes));
  }
  void run(const void* in, void* out) {
    in_.set_data_handle(const_cast<void*>(in), stream_);
    out_.set_data_handle(out, stream_);
    reorder_.execute(stream_, {{DNNL_ARG_FROM, in_}, {DNNL_ARG_TO, out_}});
    stream_.wait();
  }

 private:
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::memory in_, out_;
  dnnl::reorder reorder_;
};

std::unique_ptr<Conversion>& kept() {
  static std::unique_ptr<Conversion> conversion;
  return conversion;
}

void start() {
  omp_set_num_threads(1);
  kept().reset();
}

template <Type from, Type to, class In, class Out>
void convert(const In* in, Out* out, std::size_t n, float scale, std::int32_t zero_in, std::int32_t zero_out) {
  auto& conversion = kept();
  if (!conversion)
    conversion = std::make_unique<Conversion>(
        from, to, 1, n, 0, scale == 1 ? std::vector<float>{} : std::vector<float>{scale}, zero_in, zero_out);
  conversion->run(in, out);
}

template <int mask>
void by_channel(const float* x, const float* scales, std::size_t rows, std::size_t cols, std::int8_t* q) {
  auto& conversion = kept();
  if (!conversion) {
    std::vector<float> reciprocals(mask == 1 ? rows : cols);
    for (std::size_t i = 0; i < reciprocals.size(); ++i) reciprocals[i] = 1 / scales[i];
    conversion = std::make_unique<Conversion>(Type::f32, Type::s8, rows, cols, mask, reciprocals, 0, 0);
  }
  conversion->run(x, q);
}

const Registration rows([](Rows& r) {
  add_conversion_rows(
      r, {.impl = "onednn",
          .start = start,
          .bf16_from_f32 = [](const float* x, std::uint16_t* h,
                              std::size_t n) { convert<Type::f32, Type::bf16>(x, h, n, 1, 0, 0); },
          .f16_from_f32 = [](const float* x, std::uint16_t* h,
                             std::size_t n) { convert<Type::f32, Type::f16>(x, h, n, 1, 0, 0); },
          .bf16_to_f32 = [](const std::uint16_t* h, float* x,
                            std::size_t n) { convert<Type::bf16, Type::f32>(h, x, n, 1, 0, 0); },
          .f16_to_f32 = [](const std::uint16_t* h, float* x,
                           std::size_t n) { convert<Type::f16, Type::f32>(h, x, n, 1, 0, 0); },
          .quantize_s8 = [](const float* x, std::int8_t* q,
                            std::size_t n) { convert<Type::f32, Type::s8>(x, q, n, 1 / kScale, 0, kZeroS8); },
          .quantize_u8 = [](const float* x, std::uint8_t* q,
                            std::size_t n) { convert<Type::f32, Type::u8>(x, q, n, 1 / kScale, 0, kZeroU8); },
          .dequantize_s8 = [](const std::int8_t* q, float* x,
                              std::size_t n) { convert<Type::s8, Type::f32>(q, x, n, kScale, kZeroS8, 0); },
          .dequantize_u8 = [](const std::uint8_t* q, float* x,
                              std::size_t n) { convert<Type::u8, Type::f32>(q, x, n, kScale, kZeroU8, 0); },
          .quantize_rows_s8 = by_channel<1>,
          .quantize_columns_s8 = by_channel<2>});
});

}  // namespace
}  // namespace pawl::bench
