// fftw_calls.hpp -- FFTW's functions of both types under one name each.
#pragma once
#include <fftw3.h>

#include <complex>
#include <cstddef>
#include <memory>

namespace pawl::bench {

template <class T>
struct Fftw;

#define PAWL_FFTW_CALLS(Type, prefix)                                                                  \
  template <>                                                                                          \
  struct Fftw<Type> {                                                                                  \
    using Plan = prefix##_plan;                                                                        \
    using Complex = prefix##_complex;                                                                  \
    static constexpr auto execute = prefix##_execute;                                                  \
    static constexpr auto destroy = prefix##_destroy_plan;                                             \
    static constexpr auto forget_wisdom = prefix##_forget_wisdom;                                      \
    static constexpr auto init_threads = prefix##_init_threads;                                        \
    static constexpr auto plan_with_threads = prefix##_plan_with_nthreads;                             \
    static constexpr auto plan_1d = prefix##_plan_dft_1d;                                              \
    static constexpr auto plan_many = prefix##_plan_many_dft;                                          \
    static constexpr auto plan_r2c = prefix##_plan_dft_r2c_1d;                                         \
    static constexpr auto plan_real_nd = prefix##_plan_dft_r2c;                                        \
    static constexpr auto plan_c2r = prefix##_plan_dft_c2r_1d;                                         \
    static constexpr auto plan_many_r2c = prefix##_plan_many_dft_r2c;                                  \
    static constexpr auto plan_many_c2r = prefix##_plan_many_dft_c2r;                                  \
    static Complex* cast(std::complex<Type>* p) { return reinterpret_cast<Complex*>(p); }              \
    static std::shared_ptr<void> keep(Plan plan) {                                                     \
      return {static_cast<void*>(plan), [](void* p) { prefix##_destroy_plan(static_cast<Plan>(p)); }}; \
    }                                                                                                  \
  };
PAWL_FFTW_CALLS(float, fftwf)
PAWL_FFTW_CALLS(double, fftw)
#undef PAWL_FFTW_CALLS

}  // namespace pawl::bench
