// inflate.cpp -- see inflate.hpp.
#include "read/inflate.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace pawl::read {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

class Stream {
 public:
  Stream() {
    // 16: gzip only, largest window; any other format is not ours to guess.
    if (inflateInit2(&stream_, MAX_WBITS + 16) != Z_OK) throw std::bad_alloc();
  }
  ~Stream() { inflateEnd(&stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  z_stream* operator->() { return &stream_; }
  z_stream* get() { return &stream_; }

 private:
  z_stream stream_{};
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B"); }

Inflated inflate_gzip(std::string_view bytes) {
  Inflated out;
  Stream stream;
  std::size_t used = 0, filled = 0;
  // Deflate reaches 1032:1 at most, results about 15:1; the first guess is cheap and the string grows from there.
  out.bytes.resize(std::min(kMaxInflated, std::max(kPiece, 8 * bytes.size())));
  for (;;) {
    if (filled == out.bytes.size()) {
      if (filled >= kMaxInflated) {
        out.problem = fmt::format("inflates to more than {} GiB", kMaxInflated >> 30);
        break;
      }
      out.bytes.resize(std::min(kMaxInflated, filled + filled / 2 + kPiece));
    }
    const std::size_t in = std::min<std::size_t>(bytes.size() - used, std::numeric_limits<uInt>::max());
    const std::size_t room = std::min<std::size_t>(out.bytes.size() - filled, std::numeric_limits<uInt>::max());
    stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + used));  // zlib does not write there
    stream->avail_in = static_cast<uInt>(in);
    stream->next_out = reinterpret_cast<Bytef*>(out.bytes.data() + filled);
    stream->avail_out = static_cast<uInt>(room);
    const int status = inflate(stream.get(), Z_NO_FLUSH);
    used += in - stream->avail_in;
    filled += room - stream->avail_out;
    if (status == Z_STREAM_END) {
      if (used == bytes.size()) break;
      if (!is_gzip(bytes.substr(used))) {
        // gzip(1) pads with zeros and ignores them too.
        if (bytes.find_first_not_of('\0', used) != bytes.npos) out.problem = "is followed by something else";
        break;
      }
      inflateReset(stream.get());
    } else if (status == Z_OK) {
      continue;
    } else if (status == Z_BUF_ERROR && used == bytes.size()) {
      out.problem = "breaks off";
      break;
    } else {
      out.problem = "is damaged";
      break;
    }
  }
  out.bytes.resize(filled);
  return out;
}

}  // namespace pawl::read
