#include "core/base/paths.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace kw::base {
namespace {

TEST(Paths, WritesAtomicallyAndReadsBack) {
  const std::string dir = std::filesystem::temp_directory_path() / ("kw-paths-" + std::to_string(::getpid()));
  std::filesystem::create_directory(dir);
  const std::string path = dir + "/file";
  ASSERT_TRUE(write_file_atomically(path, "one"));
  ASSERT_TRUE(write_file_atomically(path, std::string("two\0three", 9)));
  EXPECT_EQ(*read_file(path), std::string("two\0three", 9));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir), {}), 1);   // no temporary file is left
  std::filesystem::remove_all(dir);
}

TEST(Paths, ErrorsNameThePath) {
  EXPECT_EQ(read_file("/nonexistent/x").error().context, "/nonexistent/x");
  EXPECT_EQ(read_file("/tmp").error().code, ErrorCode::bad_input);
  EXPECT_EQ(write_file_atomically("/nonexistent/x", "").error().code, ErrorCode::io);
}

}  // namespace
}  // namespace kw::base
