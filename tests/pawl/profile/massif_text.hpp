// massif_text.hpp -- a file as massif 3.19 writes it: four snapshots of a program that decodes, trimmed from a real
// one.
#pragma once

namespace pawl::profile {

inline constexpr const char* kMassifText = R"(desc: --fullpath-after= --massif-out-file=model_bench.massif.tmp
cmd: ./model_bench --benchmark_filter=decode
time_unit: i
#-----------
snapshot=0
#-----------
time=0
mem_heap_B=0
mem_heap_extra_B=0
mem_stacks_B=0
heap_tree=empty
#-----------
snapshot=1
#-----------
time=1000
mem_heap_B=73320
mem_heap_extra_B=80
mem_stacks_B=0
heap_tree=detailed
n2: 73320 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 n1: 72704 0x6F9C7B9: ??? (in /usr/lib/libstdc++.so.6.0.30)
  n0: 72704 0x4004A1D: call_init (/build/elf/dl-init.c:74)
 n0: 616 in 5 places, all below massif's threshold (1.00%)
#-----------
snapshot=2
#-----------
time=3000
mem_heap_B=2100000
mem_heap_extra_B=340
mem_stacks_B=0
heap_tree=peak
n4: 2100000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 n2: 2000000 0x10A0: allocate (/usr/include/c++/12/bits/new_allocator.h:137)
  n1: 1200000 0x10B0: std::vector<float, std::allocator<float> >::vector(unsigned long) (in /opt/model_bench)
   n2: 1200000 0x10C0: attention(unsigned long, int (*)(float)) (/src/model.cpp:4)
    n0: 1150000 0x10D0: decode(benchmark::State&) (/src/model.cpp:9)
    n0: 50000 in 3 places, all below massif's threshold (1.00%)
  n1: 800000 0x10E0: project (/src/model.cpp:5)
   n1: 800000 0x10D0: decode(benchmark::State&) (/src/model.cpp:9)
    n1: 800000 0x1FFF: ???
     n1: 800000 0x20F0: benchmark::RunSpecifiedBenchmarks() (in /usr/lib/libbenchmark.so.1.7.1)
      n0: 800000 0x10F0: main (/src/model.cpp:20)
 n0: 72704 0x6F9C7B9: ??? (in /usr/lib/libstdc++.so.6.0.30)
 n1: 20000 0x10B8: operator new(unsigned long, std::align_val_t) (in /opt/model_bench)
  n1: 20000 0x10E0: project (/src/model.cpp:5)
   n1: 20000 0x10D0: decode(benchmark::State&) (/src/model.cpp:9)
    n0: 20000 0x10F0: main (/src/model.cpp:20)
 n0: 7296 in 9 places, all below massif's threshold (1.00%)
#-----------
snapshot=3
#-----------
time=4000
mem_heap_B=100000
mem_heap_extra_B=100
mem_stacks_B=0
heap_tree=empty
)";

}  // namespace pawl::profile
