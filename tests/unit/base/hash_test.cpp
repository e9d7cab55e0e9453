#include "core/base/hash.h"

#include <gtest/gtest.h>

namespace kw::base {
namespace {

// The vectors of FIPS 180-4 and NIST's long message.
TEST(Sha256, MatchesThePublishedVectors) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheBytesArrive) {
  const std::string text(1000, 'x');
  Sha256 pieces;
  for (std::size_t at = 0, step = 1; at < text.size(); at += step, step = step % 67 + 1) pieces.update(std::string_view(text).substr(at, step));
  EXPECT_EQ(pieces.hex(), sha256_hex(text));
}

TEST(Sha256, NamesAMissingFile) {
  const auto missing = sha256_file("/nonexistent/file");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_EQ(missing.error().context, "/nonexistent/file");
}

}  // namespace
}  // namespace kw::base
