// sparse_ref.hpp -- the specification of include/pawl/sparse.hpp on std::map and in a wider type.
#pragma once
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace pawl::reference {

/// Entries by (row, column).
template <class T>
using SparseMap = std::map<std::pair<std::size_t, std::size_t>, T>;

template <class T, class Indices, class Values>
SparseMap<T> from_triplets(const Indices& rows, const Indices& cols, const Values& values) {
  SparseMap<T> m;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto place = std::pair(static_cast<std::size_t>(rows[k]), static_cast<std::size_t>(cols[k]));
    const auto [entry, is_new] = m.emplace(place, values[k]);
    if (!is_new) entry->second += values[k];
  }
  return m;
}

/// A row's sum, the sum of its absolute values (which bounds the error) and its number of entries.
struct RowSum {
  long double sum = 0, magnitude = 0;
  std::size_t entries = 0;
};

template <class T, class X>
std::vector<RowSum> spmv(const SparseMap<T>& a, std::size_t rows, const X& x, bool transposed = false) {
  std::vector<RowSum> y(rows);
  for (const auto& [place, value] : a) {
    RowSum& row = y[transposed ? place.second : place.first];
    const long double product =
        static_cast<long double>(value) * static_cast<long double>(x[transposed ? place.first : place.second]);
    row.sum += product;
    row.magnitude += std::fabs(product);
    ++row.entries;
  }
  return y;
}

/// Products added in the order of the columns of `a`, in T.
template <class T>
SparseMap<T> spgemm(const SparseMap<T>& a, const SparseMap<T>& b) {
  SparseMap<T> c;
  for (const auto& [place, value] : a)
    for (auto entry = b.lower_bound({place.second, 0}); entry != b.end() && entry->first.first == place.second;
         ++entry) {
      const T product = value * entry->second;
      const auto [sum, is_new] = c.emplace(std::pair(place.first, entry->first.second), product);
      if (!is_new) sum->second += product;
    }
  return c;
}

}  // namespace pawl::reference
