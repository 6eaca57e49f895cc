// results_text.cpp -- see results_text.hpp.
#include "results_text.hpp"

#include <fmt/format.h>

#include <random>

namespace pawl::bench {

std::string results_text(std::size_t rows, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> time(10, 1e5);
  std::string text =
      "{\n  \"context\": {\n    \"date\": \"2026-11-20T21:29:29+00:00\",\n    \"executable\": \"./bench\",\n"
      "    \"num_cpus\": 2\n  },\n  \"benchmarks\": [\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const std::string name = fmt::format("matmul/f32/pawl/m:{}/n:{}/k:{}", i % 97 + 1, i, i * 7 % 1000);
    const double ns = time(random);
    text += fmt::format(
        "{}    {{\n      \"name\": \"{}\",\n      \"family_index\": {},\n      \"per_family_instance_index\": 0,\n"
        "      \"run_name\": \"{}\",\n      \"run_type\": \"iteration\",\n      \"repetitions\": 1,\n"
        "      \"repetition_index\": 0,\n      \"threads\": 1,\n      \"iterations\": {},\n      \"real_time\": "
        "{:.16e},\n"
        "      \"cpu_time\": {:.16e},\n      \"time_unit\": \"ns\",\n      \"bytes_per_second\": {:.16e},\n"
        "      \"items_per_second\": {:.16e}\n    }}",
        i == 0 ? "" : ",\n", name, i, name, static_cast<long>(7e8 / ns), ns, 0.999 * ns, 8e9 / ns, 1e9 / ns);
  }
  return text + "\n  ]\n}\n";
}

}  // namespace pawl::bench
