#include "core/protocol/framing.h"

#include <poll.h>
#include <strings.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace kw::protocol {

using base::Error;
using base::ErrorCode;

namespace {

constexpr std::size_t largest_header = 4096;

Error broken(std::string message) { return {ErrorCode::lost, std::move(message), "framing"}; }

}  // namespace

bool FrameReader::fill() {
  pollfd fds[2] = {{fd_, POLLIN, 0}, {stop_fd_, POLLIN, 0}};
  while (::poll(fds, 2, -1) < 0 && errno == EINTR) {}
  if (fds[1].revents) return false;
  char chunk[65536];
  ssize_t n;
  do n = ::read(fd_, chunk, sizeof chunk); while (n < 0 && errno == EINTR);
  if (n > 0) buffer_.append(chunk, static_cast<std::size_t>(n));
  return n > 0;
}

base::Result<std::size_t> FrameReader::header() {
  std::size_t end;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (buffer_.size() > largest_header) return broken("no header within 4096 bytes; the peer does not speak this protocol");
    const bool clean = buffer_.empty();
    if (!fill()) return clean ? Error{ErrorCode::lost, "the peer closed the connection", "end of input"} : broken("the peer stopped inside a header");
  }
  std::size_t length = largest_frame + 1;
  for (std::size_t at = 0; at < end;) {
    const std::size_t eol = std::min(buffer_.find("\r\n", at), end);
    const std::string_view line(buffer_.data() + at, eol - at);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return broken("a header line without a colon; the peer does not speak this protocol");
    if (colon == 14 && ::strncasecmp(line.data(), "content-length", 14) == 0) {
      std::string_view digits = line.substr(colon + 1);
      while (digits.starts_with(' ')) digits.remove_prefix(1);
      const auto [p, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
      if (ec != std::errc{} || p != digits.data() + digits.size()) return broken("Content-Length is not a number");
    }
    at = eol + 2;
  }
  if (length > largest_frame) return broken("Content-Length is missing or too large");
  buffer_.erase(0, end + 4);
  return length;
}

base::Result<std::string> FrameReader::read() {
  base::Result<std::size_t> length = header();
  if (!length) return length.error();
  while (buffer_.size() < *length)
    if (!fill()) return broken("the peer stopped inside a message");
  std::string body = buffer_.substr(0, *length);
  buffer_.erase(0, *length);
  return body;
}

base::Status write_frame(int fd, std::string_view body) {
  std::string frame = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  frame += body;
  for (std::string_view left = frame; !left.empty();) {
    const ssize_t n = ::write(fd, left.data(), left.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{ErrorCode::lost, std::string("cannot write to the peer: ") + std::strerror(errno), "framing"};
    left.remove_prefix(static_cast<std::size_t>(n));
  }
  return base::done();
}

}  // namespace kw::protocol
