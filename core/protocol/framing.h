#pragma once
// `Content-Length` frames, as in the Language Server Protocol, over a pair of descriptors.

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kw::protocol {

inline constexpr std::size_t largest_frame = std::size_t{512} << 20;

// Reads frames from one descriptor; one thread at a time. End of input between frames and a broken frame are both
// Error{lost}; the first has context "end of input".
class FrameReader {
 public:
  // A readable `stop_fd` ends a blocked read as if the peer had closed.
  explicit FrameReader(int fd, int stop_fd = -1) : fd_(fd), stop_fd_(stop_fd) {}
  base::Result<std::string> read();

 private:
  base::Result<std::size_t> header();
  bool fill();
  int fd_, stop_fd_;
  std::string buffer_;
};

base::Status write_frame(int fd, std::string_view body);   // not interleaved: the caller holds its lock

}  // namespace kw::protocol
