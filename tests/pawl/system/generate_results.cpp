// generate_results.cpp -- a number of rows -> a Google Benchmark file of that size, the same for the same seed.
//
//   generate_results ROWS [SEED [REPETITIONS]] > file.json
#include <cstdint>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: generate_results ROWS [SEED [REPETITIONS]]\n", stderr);
    return 2;
  }
  const long rows = std::strtol(argv[1], nullptr, 10);
  std::uint64_t state = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const long repetitions = argc > 3 ? std::strtol(argv[3], nullptr, 10) : 1;
  // splitmix64 (Steele, Lea, Flood, OOPSLA 2014): any seed gives a good sequence.
  const auto next = [&state] {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  };
  std::puts(
      "{\n  \"context\": {\n    \"date\": \"2026-01-02T03:04:05+00:00\",\n    \"host_name\": \"generated\",\n"
      "    \"executable\": \"./bench\",\n    \"num_cpus\": 2,\n    \"mhz_per_cpu\": 3000,\n    \"library_build_type\": "
      "\"release\"\n  },\n  \"benchmarks\": [");
  const long families = rows / repetitions;
  for (long i = 0; i < families; ++i) {
    // What a row takes depends on its number alone, so that two files differ by noise of 1 %.
    const double base = 100.0 + static_cast<double>(i % 1000) * 7.0;
    for (long r = 0; r < repetitions; ++r) {
      const double time = base * (0.99 + 0.02 * next());
      std::printf(
          "    {\n      \"name\": \"BM_Generated/size:%ld\",\n      \"family_index\": %ld,\n"
          "      \"per_family_instance_index\": 0,\n      \"run_name\": \"BM_Generated/size:%ld\",\n"
          "      \"run_type\": \"iteration\",\n      \"repetitions\": %ld,\n      \"repetition_index\": %ld,\n"
          "      \"threads\": 1,\n      \"iterations\": 1000000,\n      \"real_time\": %.17g,\n"
          "      \"cpu_time\": %.17g,\n      \"time_unit\": \"ns\"\n    }%s\n",
          i, i, i, repetitions, r, time, time * 0.999, i + 1 == families && r + 1 == repetitions ? "" : ",");
    }
  }
  std::puts("  ]\n}");
  return std::ferror(stdout) != 0 ? 1 : 0;
}
