// yardsticks.hpp -- what this machine can do right now: short fixed loops that use none of the kernels.
//
// Timed at the start and at the end of every bench process. They give '% of limit', show a machine that drifted during
// the run, and let results of two machines be compared as ratios.
#pragma once
#include <map>
#include <string>

namespace pawl::bench {

/// Values by name, larger is faster. The widest runnable ISA; one thread but where the name says how many.
///
///   fma_f32_gflops fma_f64_gflops          independent multiply-adds in registers
///   fma_s8_gflops fma_bf16_gflops          dot products of bytes and of bf16, where the CPU has such instructions
///   read_l1_gbs read_l2_gbs read_l3_gbs read_mem_gbs   reading arrays of half L1, half L2, a quarter of L3, 128 MiB
///   copy_l1_gbs copy_l2_gbs copy_l3_gbs copy_mem_gbs   reading one array and writing another; both counted
///   stream_copy_mem_gbs                    the same with stores that bypass the caches
///   triad_l1_gbs triad_l2_gbs triad_l3_gbs triad_mem_gbs   z = x + 3 y; three arrays counted
///   chase_mem_mloads                       dependent random loads from 128 MiB, million per second
///   read_l3_gbs/threads:2 ...              those of L3 and memory by two threads at once, and by as many as there are
///                                          CPUs for this process; each has its part of the arrays. They fall where
///                                          another process has one of the CPUs.
using Yardsticks = std::map<std::string, double>;

/// Takes about 0.3 s; the memory ones need 3 x 128 MiB once and are left out where that is not available.
Yardsticks measure_yardsticks();

}  // namespace pawl::bench
