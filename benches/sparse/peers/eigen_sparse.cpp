// eigen_sparse.cpp -- the sparse operations by Eigen's row-major SparseMatrix, with OpenMP, for this machine.
#include <Eigen/SparseCore>
#include <memory>

#include "benches/sparse/sparse_rows.hpp"

namespace pawl::bench {
namespace {

template <class T>
using Matrix = Eigen::SparseMatrix<T, Eigen::RowMajor, std::int32_t>;

template <class T>
std::shared_ptr<Matrix<T>> matrix(const SparseMatrix<T>& a) {
  using Index = Eigen::Index;
  return std::make_shared<Matrix<T>>(Eigen::Map<const Matrix<T>>(static_cast<Index>(a.rows), static_cast<Index>(a.cols),
                                                                 static_cast<Index>(a.nonzeros()), a.row_start.data(),
                                                                 a.columns.data(), a.values.data()));
}

template <class T>
CsrArrays<T> arrays(const Matrix<T>& a) {
  const auto n = static_cast<std::size_t>(a.nonZeros());
  return {{a.outerIndexPtr(), static_cast<std::size_t>(a.rows()) + 1}, {a.innerIndexPtr(), n}, {a.valuePtr(), n}};
}

template <class T>
Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>> vector(std::span<const T> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}
template <class T>
Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>> vector(std::span<T> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

template <class T>
SparseImplementation<T> eigen() {
  using M = SparseMatrix<T>;
  return {.impl = "eigen",
          .from_triplets = [](const M& a, const Triplets<T>& t, int) -> typename SparseImplementation<T>::Build {
            std::vector<Eigen::Triplet<T, std::int32_t>> list;
            for (std::size_t k = 0; k < t.values.size(); ++k) list.emplace_back(t.rows[k], t.columns[k], t.values[k]);
            auto result = std::make_shared<std::unique_ptr<Matrix<T>>>();
            return {[=, rows = static_cast<Eigen::Index>(a.rows), cols = static_cast<Eigen::Index>(a.cols)] {
                      result->reset();
                      *result = std::make_unique<Matrix<T>>(rows, cols);
                      (*result)->setFromTriplets(list.begin(), list.end());
                    },
                    [=] { return arrays<T>(**result); }};
          },
          .transpose = [](const M& a, int) -> typename SparseImplementation<T>::Build {
            auto result = std::make_shared<std::unique_ptr<Matrix<T>>>();
            return {[=, from = matrix(a)] {
                      result->reset();
                      *result = std::make_unique<Matrix<T>>(from->transpose());
                    },
                    [=] { return arrays<T>(**result); }};
          },
          .spmv = [](const M& a, std::span<const T> x, std::span<T> y, int threads) -> Action {
            return [=, m = matrix(a)] {
              Eigen::setNbThreads(threads);
              vector(y).noalias() = *m * vector(x);
            };
          },
          .spmv_transposed = [](const M& a, std::span<const T> x, std::span<T> y, int threads) -> Action {
            return [=, m = matrix(a)] {
              Eigen::setNbThreads(threads);
              vector(y).noalias() = m->transpose() * vector(x);
            };
          },
          .spmm = [](const M& a, std::span<const T> b, std::span<T> c, std::size_t width, bool by_rows,
                     int threads) -> Action {
            const auto w = static_cast<Eigen::Index>(width);
            const auto b_rows = static_cast<Eigen::Index>(a.cols), c_rows = static_cast<Eigen::Index>(a.rows);
            using ByRows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
            using ByColumns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
            if (by_rows)
              return [=, m = matrix(a)] {
                Eigen::setNbThreads(threads);
                Eigen::Map<ByRows>(c.data(), c_rows, w).noalias() = *m * Eigen::Map<const ByRows>(b.data(), b_rows, w);
              };
            return [=, m = matrix(a)] {
              Eigen::setNbThreads(threads);
              Eigen::Map<ByColumns>(c.data(), c_rows, w).noalias() =
                  *m * Eigen::Map<const ByColumns>(b.data(), b_rows, w);
            };
          },
          .square = [](const M& a, int) -> typename SparseImplementation<T>::Build {
            auto result = std::make_shared<std::unique_ptr<Matrix<T>>>();
            return {[=, from = matrix(a)] {
                      result->reset();
                      *result = std::make_unique<Matrix<T>>(*from * *from);
                    },
                    [=] { return arrays<T>(**result); }};
          },
          .threads = thread_counts()};
}

const Registration rows([](Rows& r) {
  add_sparse_rows<double>(r, eigen<double>());
  if (!r.quick()) add_sparse_rows<float>(r, eigen<float>());
});

}  // namespace
}  // namespace pawl::bench
