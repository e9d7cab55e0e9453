#include "core/protocol/framing.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

namespace kw::protocol {
namespace {

// Reads all frames out of `bytes`; the error that ended it is the last element's text.
std::vector<std::string> frames_in(const std::string& bytes) {
  ::signal(SIGPIPE, SIG_IGN);   // the reader leaves early where it refuses
  int fds[2];
  EXPECT_EQ(::pipe(fds), 0);
  std::thread writer([&] {
    for (std::size_t at = 0; at < bytes.size(); at += 7) {
      const std::string piece = bytes.substr(at, 7);   // frames arrive in pieces
      if (::write(fds[1], piece.data(), piece.size()) < 0) break;
    }
    ::close(fds[1]);
  });
  FrameReader reader(fds[0]);
  std::vector<std::string> out;
  while (true) {
    auto frame = reader.read();
    out.push_back(frame ? *frame : "error: " + frame.error().message);
    if (!frame) break;
  }
  ::close(fds[0]);
  writer.join();
  return out;
}

TEST(Framing, ReadsFramesInOrder) {
  const auto f = frames_in("Content-Length: 2\r\n\r\n{}Content-Type: x\r\ncontent-length:5\r\n\r\nhello");
  ASSERT_EQ(f.size(), 3u);
  EXPECT_EQ(f[0], "{}");
  EXPECT_EQ(f[1], "hello");
  EXPECT_EQ(f[2], "error: the peer closed the connection");
}

TEST(Framing, RefusesWhatIsNotTheProtocol) {
  EXPECT_NE(frames_in("Hello there\r\n\r\n").back().find("without a colon"), std::string::npos);
  EXPECT_NE(frames_in("Content-Length: 12x\r\n\r\n").back().find("not a number"), std::string::npos);
  EXPECT_NE(frames_in("Content-Length: -1\r\n\r\n").back().find("not a number"), std::string::npos);
  EXPECT_NE(frames_in("Content-Length: 99999999999999\r\n\r\n").back().find("too large"), std::string::npos);
  EXPECT_NE(frames_in("X: y\r\n\r\n").back().find("missing"), std::string::npos);
  EXPECT_NE(frames_in("Content-Length: 10\r\n\r\nabc").back().find("inside a message"), std::string::npos);
  EXPECT_NE(frames_in("Content-Le").back().find("inside a header"), std::string::npos);
  EXPECT_NE(frames_in(std::string(10000, 'a')).back().find("4096"), std::string::npos);
}

TEST(Framing, SurvivesEveryTruncationAndFlip) {
  const std::string good = "Content-Length: 13\r\n\r\n{\"method\":\"x\"}";
  for (std::size_t cut = 0; cut < good.size(); ++cut) EXPECT_EQ(frames_in(good.substr(0, cut)).back().substr(0, 6), "error:");
  for (std::size_t at = 0; at < good.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
      EXPECT_EQ(frames_in(bad).back().substr(0, 6), "error:");
    }
}

TEST(Framing, WritesWhatItReads) {
  int fds[2];
  ASSERT_EQ(::pipe(fds), 0);
  const std::string body(100000, 'b');
  std::thread writer([&] { EXPECT_TRUE(write_frame(fds[1], body)); });
  EXPECT_EQ(*FrameReader(fds[0]).read(), body);
  writer.join();
  ::close(fds[0]);
  ::close(fds[1]);
}

}  // namespace
}  // namespace kw::protocol
