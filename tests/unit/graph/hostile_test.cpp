// Archives that were cut, flipped or forged: refused or read, never a crash, an over-read or a giant allocation.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include "core/base/paths.h"
#include "core/graph/pt2/reader.h"

namespace kw::graph::pt2 {
namespace {

std::string data(const std::string& name) {
  return *base::read_file(std::string(std::getenv("KW_SOURCE_DIR")) + "/tests/data/" + name);
}

std::string scratch() { return ::testing::TempDir() + "kw_hostile.pt2"; }

// Reads everything a model offers, every byte of it.
bool readable(const std::string& bytes) {
  const std::string path = scratch();
  std::ofstream(path, std::ios::binary) << bytes;
  const auto m = read_model(path);
  if (!m) {
    EXPECT_FALSE(m.error().message.empty());
    return false;
  }
  unsigned sum = 0;
  for (const Value& v : m->graph.values)
    if (v.storage) {
      const auto stored = stored_tensor(*m->archive, v);
      EXPECT_TRUE(stored);
      for (std::byte b : stored ? stored->bytes : Bytes{}) sum += std::to_integer<unsigned>(b);
    }
  if (const auto inputs = example_inputs(m->archive))
    for (const Leaf& l : inputs->leaves)
      if (auto* t = std::get_if<StoredTensor>(&l))
        for (std::byte b : t->bytes) sum += std::to_integer<unsigned>(b);
  return sum != 0xffffffff;
}

TEST(Hostile, EveryTruncationIsRefused) {
  const std::string good = data("small.pt2");
  ASSERT_TRUE(readable(good));
  for (std::size_t cut = 0; cut < good.size() - 1; cut += 97) EXPECT_FALSE(readable(good.substr(0, cut))) << cut;
}

TEST(Hostile, FlippedBitsNeverCrash) {
  const std::string good = data("small.pt2");
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string bad = good;
    for (int flips = 0; flips < 1 + i % 4; ++flips) bad[random() % bad.size()] ^= static_cast<char>(1 << random() % 8);
    refused += !readable(bad);
  }
  EXPECT_GT(refused, 100);
}

TEST(Hostile, FlippedHeadersNeverCrash) {
  const std::string good = data("small.pt2");
  std::mt19937 random(2);
  for (int i = 0; i < 1500; ++i) {   // the central directory stands in the last kilobytes
    std::string bad = good;
    bad[bad.size() - 1 - random() % 2000] = static_cast<char>(random());
    readable(bad);
  }
}

TEST(Hostile, FlippedPicklesNeverCrash) {
  const std::string good = data("tensors.pt");
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    for (int flips = 0; flips < 3; ++flips) bad[random() % bad.size()] = static_cast<char>(random());
    const Bytes bytes(reinterpret_cast<const std::byte*>(bad.data()), bad.size());
    if (const auto archive = Archive::view(bytes, "flipped")) {
      const auto l = unpickle(*archive);
      if (!l) {
        EXPECT_FALSE(l.error().message.empty());
      }
    }
  }
}

// A torch.save archive with this pickle and no storages.
std::string saved(const std::string& pickle) {
  const auto number = [](std::size_t value, int width) {
    std::string out;
    for (int i = 0; i < width; ++i, value >>= 8) out += static_cast<char>(value & 255);
    return out;
  };
  const std::string name = "archive/data.pkl", zeros(12, '\0');
  const std::string sizes = number(pickle.size(), 4) + number(pickle.size(), 4) + number(name.size(), 2);
  const std::string local = "PK\3\4" + number(20, 2) + zeros + sizes + number(0, 2) + name + pickle;
  const std::string central = "PK\1\2" + number(20, 2) + number(20, 2) + zeros + sizes + number(0, 12) + number(0, 4) + name;
  return local + central + "PK\5\6" + number(0, 4) + number(1, 2) + number(1, 2) + number(central.size(), 4) + number(local.size(), 4) + number(0, 2);
}

base::Result<Leaves> unpickled(const std::string& pickle) {
  const std::string bytes = saved("\x80\x02" + pickle + ".");
  const auto archive = Archive::view({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}, "made");
  EXPECT_TRUE(archive);
  return archive ? unpickle(*archive) : archive.error();
}

TEST(Hostile, PicklesThatNestOrReferToThemselvesAreRefused) {
  const auto good = unpickled("K\7K\x08\x86");   // (7, 8)
  ASSERT_TRUE(good) << good.error().text();
  EXPECT_EQ(std::get<std::int64_t>(good->leaves.at(1)), 8);
  const auto refused = [](const std::string& pickle) {
    const auto l = unpickled(pickle);
    return !l && l.error().code == base::ErrorCode::bad_input;
  };
  EXPECT_TRUE(refused(")" + std::string(900000, '\x85')));            // a tuple in a tuple in …
  EXPECT_TRUE(refused(std::string("]q\0h\0a", 6)));                   // a list that holds itself
  std::string doubling = std::string("]q\0", 3);                      // each tuple holds the one before twice
  for (char i = 0; i < 60; ++i) doubling += std::string("h") + i + "h" + i + "\x86q" + static_cast<char>(i + 1);
  EXPECT_TRUE(refused(doubling));
  EXPECT_TRUE(refused(std::string(3000000, 'N')));                     // no end of objects
}

// Replaces text of equal length inside the archive's JSON.
std::string forged(std::string archive, const std::string& from, const std::string& to) {
  EXPECT_EQ(from.size(), to.size());
  const std::size_t at = archive.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return archive.replace(at, from.size(), to);
}

TEST(Hostile, SizesThatLeaveTheStorageAreRefused) {
  const std::string good = data("small.pt2");
  const std::size_t config = good.find("\"linear.weight\": {\"path_name\"");
  ASSERT_NE(config, std::string::npos);
  for (const char* size : {"9", "8"}) {
    std::string bad = good;
    const std::size_t at = bad.find("\"as_int\": 4", config);
    bad[at + 10] = size[0];
    const auto path = scratch();
    std::ofstream(path, std::ios::binary) << bad;
    const auto m = read_model(path);
    ASSERT_FALSE(m);
    EXPECT_NE(m.error().message.find("leave its storage"), std::string::npos) << m.error().text();
  }
}

TEST(Hostile, UnknownSchemaVersionIsNamed) {
  const std::string path = scratch();
  std::ofstream(path, std::ios::binary) << forged(data("small.pt2"), "\"schema_version\": {\"major\": 8", "\"schema_version\": {\"major\": 9");
  const auto m = read_model(path);
  ASSERT_FALSE(m);
  EXPECT_NE(m.error().message.find("schema version 9"), std::string::npos) << m.error().text();
}

TEST(Hostile, PicklesThatCallAnythingAreRefused) {
  const std::string bad = forged(data("tensors.pt"), "torch._utils\n_rebuild_tensor_v2", "os\nsystem_rebuild_tensor_v2__xx");
  const auto archive = Archive::view({reinterpret_cast<const std::byte*>(bad.data()), bad.size()}, "forged");
  ASSERT_TRUE(archive);
  const auto l = unpickle(*archive);
  ASSERT_FALSE(l);
  EXPECT_NE(l.error().message.find("may not be called"), std::string::npos) << l.error().text();
}

}  // namespace
}  // namespace kw::graph::pt2
