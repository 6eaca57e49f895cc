// read_replay_test.cpp -- the fuzzer's seeds and deterministic damage to them, with any compiler and without libFuzzer.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "read_invariants.hpp"

namespace pawl::read {
namespace {

struct Seed {
  std::string name, bytes;
};

std::vector<Seed> seeds() {
  std::vector<Seed> list;
  for (const char* folder : {PAWL_TEST_DATA "/google-benchmark", PAWL_TEST_DATA "/../fuzz/corpus/read"})
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".md" || entry.path().filename().string().starts_with(".")) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      list.push_back({entry.path().filename().string(), std::string(std::istreambuf_iterator<char>(in), {})});
    }
  std::sort(list.begin(), list.end(), [](const Seed& a, const Seed& b) { return a.name < b.name; });
  return list;
}

// About as many trials of each file as read 2 MB: small files get many, large ones some.
std::size_t trials(const Seed& seed) { return std::clamp<std::size_t>(2000000 / (seed.bytes.size() + 1), 20, 2000); }

void check(const Seed& seed, std::string_view bytes, const std::string& how) {
  try {
    read_and_check(bytes);
  } catch (const std::logic_error& wrong) {
    FAIL() << seed.name << ", " << how << ": " << wrong.what();
  }
}

TEST(ReadReplay, Seeds) {
  std::size_t results = 0;
  for (const Seed& seed : seeds()) results += read_and_check(seed.bytes) ? 1 : 0;
  EXPECT_GE(results, 36U) << "most seeds are results: a fuzzer that starts from errors finds little";
}

TEST(ReadReplay, CutAnywhere) {
  for (const Seed& seed : seeds()) {
    const std::size_t step = std::max<std::size_t>(1, seed.bytes.size() / trials(seed));
    for (std::size_t length = 0; length < seed.bytes.size(); length += step)
      check(seed, std::string_view(seed.bytes).substr(0, length), "cut to " + std::to_string(length));
  }
}

TEST(ReadReplay, BitsFlipped) {
  for (const Seed& seed : seeds()) {
    std::mt19937 random(1);
    std::string bytes = seed.bytes;
    for (std::size_t i = 0; i < trials(seed) && !bytes.empty(); ++i) {
      const std::size_t at = random() % bytes.size(), bit = random() % 8;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      check(seed, bytes, "bit " + std::to_string(bit) + " of byte " + std::to_string(at));
      if (i % 8 != 7) bytes[at] = seed.bytes[at];  // a few stay, so that damage adds up
    }
  }
}

TEST(ReadReplay, PiecesMissingDoubledAndSwapped) {
  const std::vector<Seed> all = seeds();
  for (const Seed& seed : all) {
    std::mt19937 random(2);
    for (std::size_t i = 0; i < trials(seed) / 2 && seed.bytes.size() > 1; ++i) {
      const std::size_t first = random() % seed.bytes.size(),
                        length = random() % std::min<std::size_t>(seed.bytes.size() - first, 200);
      const Seed& other = all[random() % all.size()];
      const std::size_t from = other.bytes.empty() ? 0 : random() % other.bytes.size();
      const std::string piece = other.bytes.substr(from, random() % 200);
      std::string bytes = seed.bytes;
      bytes.erase(first, length);
      check(seed, bytes, "without " + std::to_string(length) + " bytes at " + std::to_string(first));
      bytes.insert(first, piece);
      check(seed, bytes, "with a piece of " + other.name + " at " + std::to_string(first));
    }
  }
}

TEST(ReadReplay, StructureSprinkled) {
  constexpr std::string_view kStructure = "{}[]\",:\\\n\x00-N\xE9";
  for (const Seed& seed : seeds()) {
    std::mt19937 random(3);
    for (std::size_t i = 0; i < trials(seed) && !seed.bytes.empty(); ++i) {
      std::string bytes = seed.bytes;
      const std::size_t at = random() % bytes.size();
      bytes[at] = kStructure[random() % kStructure.size()];
      check(seed, bytes, "byte " + std::to_string(at) + " replaced");
    }
  }
}

}  // namespace
}  // namespace pawl::read
