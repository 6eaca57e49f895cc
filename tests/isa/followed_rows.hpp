// followed_rows.hpp -- while one lives, kernels believe that this CPU follows rows into L2, or that it doesn't.
#pragma once
#include "isa/row_streams.hpp"

namespace pawl {

class FollowedRows {
 public:
  explicit FollowedRows(bool followed) : before_(detail::follows_rows_into_l2) {
    detail::follows_rows_into_l2 = followed;
  }
  ~FollowedRows() { detail::follows_rows_into_l2 = before_; }
  FollowedRows(const FollowedRows&) = delete;
  FollowedRows& operator=(const FollowedRows&) = delete;

 private:
  bool before_;
};

}  // namespace pawl
