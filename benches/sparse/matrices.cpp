// matrices.cpp -- the generators of matrices.hpp.
#include "matrices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

#include "buffers.hpp"

namespace pawl::bench {
namespace {

using Random = std::mt19937_64;

// Uniform in [0, n) and in [0, 1); the standard's distributions differ between libraries, these do not.
std::size_t below(Random& random, std::size_t n) {
  return static_cast<std::size_t>((random() >> 32) * n >> 32);  // n < 2^32
}
double unit(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

template <class T>
struct Builder {
  SparseMatrix<T>& a;
  void entry(std::size_t column, double value) {
    a.columns.push_back(static_cast<std::int32_t>(column));
    a.values.push_back(static_cast<T>(value));
  }
  void end_row() { a.row_start.push_back(static_cast<std::int32_t>(a.columns.size())); }
};

// Rows given by sorted lists of columns, values random.
template <class T, class Columns>
void by_rows(SparseMatrix<T>& a, Random& random, Columns columns_of_row) {
  Builder<T> build{a};
  std::vector<std::size_t> columns;
  for (std::size_t r = 0; r < a.rows; ++r) {
    columns.clear();
    columns_of_row(r, columns);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (std::size_t c : columns) build.entry(c, 2 * unit(random) - 1);
    build.end_row();
  }
}

template <class T>
void laplacian(SparseMatrix<T>& a, std::size_t side, int dimensions) {
  Builder<T> build{a};
  const std::size_t depth = dimensions == 3 ? side : 1;
  for (std::size_t z = 0; z < depth; ++z)
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x) {
        const std::size_t r = (z * side + y) * side + x;
        if (z > 0) build.entry(r - side * side, -1);
        if (y > 0) build.entry(r - side, -1);
        if (x > 0) build.entry(r - 1, -1);
        build.entry(r, 2.0 * dimensions);
        if (x + 1 < side) build.entry(r + 1, -1);
        if (y + 1 < side) build.entry(r + side, -1);
        if (z + 1 < depth) build.entry(r + side * side, -1);
        build.end_row();
      }
}

template <class T>
void rmat(SparseMatrix<T>& a, Random& random) {
  std::size_t size = 1;
  while (size < a.rows) size *= 2;
  std::vector<std::uint64_t> edges;
  while (edges.size() < 8 * a.rows) {
    std::size_t row = 0, column = 0;
    for (std::size_t half = size / 2; half > 0; half /= 2) {
      const double u = unit(random);
      if (u >= 0.57 + 0.19) row += half;
      if ((u >= 0.57 && u < 0.57 + 0.19) || u >= 0.57 + 0.19 + 0.19) column += half;
    }
    if (row < a.rows && column < a.rows) edges.push_back(static_cast<std::uint64_t>(row) << 32 | column);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  Builder<T> build{a};
  std::size_t k = 0;
  for (std::size_t r = 0; r < a.rows; ++r) {
    for (; k < edges.size() && edges[k] >> 32 == r; ++k) build.entry(edges[k] & 0xffffffffu, 2 * unit(random) - 1);
    build.end_row();
  }
}

template <class T>
std::shared_ptr<const SparseMatrix<T>> make(const std::string& kind, std::size_t rows) {
  auto matrix = std::make_shared<SparseMatrix<T>>();
  SparseMatrix<T>& a = *matrix;
  Random random(seed());
  a.kind = kind;
  a.rows = rows;
  a.row_start.push_back(0);
  if (kind == "random") {
    by_rows(a, random, [&](std::size_t, auto& columns) {
      for (int i = 0; i < 10; ++i) columns.push_back(below(random, rows));
    });
  } else if (kind == "varied") {
    by_rows(a, random, [&](std::size_t, auto& columns) {
      for (std::size_t i = 0, n = 1 + below(random, 20); i < n; ++i) columns.push_back(below(random, rows));
    });
  } else if (kind == "band") {
    by_rows(a, random, [&](std::size_t r, auto& columns) {
      for (std::size_t c = r > 5 ? r - 5 : 0; c <= std::min(r + 5, rows - 1); ++c) columns.push_back(c);
    });
  } else if (kind == "rmat") {
    rmat(a, random);
  } else if (kind == "laplace2d") {
    const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(rows)) + 1e-9);
    a.rows = side * side;
    laplacian(a, side, 2);
  } else if (kind == "laplace3d") {
    const auto side = static_cast<std::size_t>(std::cbrt(static_cast<double>(rows)) + 1e-9);
    a.rows = side * side * side;
    laplacian(a, side, 3);
  } else if (kind == "blocks") {
    a.rows = rows / 4 * 4;
    std::vector<std::size_t> blocks;
    by_rows(a, random, [&](std::size_t r, auto& columns) {
      if (r % 4 == 0) {
        blocks.clear();
        for (int i = 0; i < 4; ++i) blocks.push_back(below(random, rows / 4));
      }
      for (std::size_t b : blocks)
        for (std::size_t i = 0; i < 4; ++i) columns.push_back(4 * b + i);
    });
  } else {
    throw std::invalid_argument("sparse_matrix: no kind '" + kind + "'");
  }
  a.cols = a.rows;
  return matrix;
}

}  // namespace

template <class T>
std::shared_ptr<const SparseMatrix<T>> sparse_matrix(const std::string& kind, std::size_t rows) {
  static std::shared_ptr<const SparseMatrix<T>> last;
  static std::size_t last_rows = 0;
  if (last == nullptr || last->kind != kind || last_rows != rows) {
    last = nullptr;
    last = make<T>(kind, rows);
    last_rows = rows;
  }
  return last;
}

template <class T>
Triplets<T> shuffled_triplets(const SparseMatrix<T>& a) {
  struct Entry {
    std::int32_t row, column;
    T value;
  };
  std::vector<Entry> entries;
  entries.reserve(a.nonzeros());
  for (std::size_t r = 0; r < a.rows; ++r)
    for (auto k = static_cast<std::size_t>(a.row_start[r]); k < static_cast<std::size_t>(a.row_start[r + 1]); ++k)
      entries.push_back({static_cast<std::int32_t>(r), a.columns[k], a.values[k]});
  Random random(seed() + 1);
  for (std::size_t i = entries.size(); i > 1; --i) std::swap(entries[i - 1], entries[below(random, i)]);
  Triplets<T> t;
  t.rows.reserve(entries.size());
  t.columns.reserve(entries.size());
  t.values.reserve(entries.size());
  for (const Entry& e : entries) {
    t.rows.push_back(e.row);
    t.columns.push_back(e.column);
    t.values.push_back(e.value);
  }
  return t;
}

#define PAWL_INSTANTIATE(T)                                                                       \
  template std::shared_ptr<const SparseMatrix<T>> sparse_matrix(const std::string&, std::size_t); \
  template Triplets<T> shuffled_triplets(const SparseMatrix<T>&);
PAWL_INSTANTIATE(float)
PAWL_INSTANTIATE(double)

}  // namespace pawl::bench
