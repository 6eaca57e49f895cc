// eigen_creation.cpp -- arrays made by Eigen, compiled for this machine as its users would. (It has no normal numbers.)
#include <Eigen/Core>

#include "benches/tensor/creation_rows.hpp"

namespace pawl::bench {
namespace {

using N = std::size_t;
using Vector = Eigen::VectorXf;

Eigen::Index length(N n) { return static_cast<Eigen::Index>(n); }

void give_ends(const Vector& x, float* ends) {
  ends[0] = x[0];
  ends[1] = x[x.size() - 1];
}

const CreationImplementation eigen{
    .impl = "eigen",
    .zeros = [](N n, float* ends) { give_ends(Vector::Zero(length(n)), ends); },
    .ones = [](N n, float* ends) { give_ends(Vector::Ones(length(n)), ends); },
    .uniform = [](N n, float* ends) { give_ends(Vector::Random(length(n)), ends); },
    .from_data = [](const float* source, N n,
                    float* ends) { give_ends(Eigen::Map<const Vector>(source, length(n)), ends); }};

const Registration rows([](Rows& r) { add_creation_rows(r, eigen); });

}  // namespace
}  // namespace pawl::bench
