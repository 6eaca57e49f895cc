// join.hpp -- result sets, one after another -> one result set.
#pragma once
#include "model/results.hpp"
#include "read/name_table.hpp"

namespace pawl::read {

/// Cost: linear in what is added. The first set is moved in as it is.
class Joiner {
 public:
  void add(model::ResultSet set);
  model::ResultSet take() { return std::move(joined_); }

 private:
  void index(std::size_t benchmark);
  void add_machine(const model::ResultSet& set);
  void add_methodology(const model::ResultSet& set);
  void contradict(const model::ResultSet& set, const char* what, const std::string& before, const std::string& now);

  model::ResultSet joined_;
  NameTable index_;
  std::size_t indexed_ = 0;
  bool empty_ = true;
};

}  // namespace pawl::read
