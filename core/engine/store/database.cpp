#include "core/engine/store/database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/engine/store/schema.h"

namespace kw::store {
namespace {

using base::Error;
using base::ErrorCode;

struct CodeRow {
  int code;
  ErrorCode kind;
  const char* message;
};
constexpr CodeRow code_rows[] = {
    {SQLITE_FULL, ErrorCode::io, "the disk is full. Free some space and run the same command again; what was written is kept"},
    {SQLITE_IOERR, ErrorCode::io, "the disk could not be written or read (full, or a quota or limit reached?). What was written before is kept"},
    {SQLITE_READONLY, ErrorCode::io, "the session is read-only. Choose a writable folder with --session FILE.kwr"},
    {SQLITE_CANTOPEN, ErrorCode::io, "cannot open the session. Choose a readable and writable folder with --session FILE.kwr"},
    {SQLITE_PERM, ErrorCode::io, "no permission for the session file. Choose another folder with --session FILE.kwr"},
    {SQLITE_BUSY, ErrorCode::busy, "another program holds the session. Close it and try again"},
    {SQLITE_LOCKED, ErrorCode::busy, "another program holds the session. Close it and try again"},
    {SQLITE_NOTADB, ErrorCode::bad_input, "this is not a Kernelwright session"},
    {SQLITE_CORRUPT, ErrorCode::bad_input, "the session file is damaged. Use a copy of it, or another --session"},
};

Error from_sqlite(const SQLite::Exception& e, const std::string& path) {
  const int primary = e.getErrorCode() & 0xff;
  for (const CodeRow& row : code_rows)
    if (row.code == primary) return {row.kind, std::string(row.message) + " (SQLite: " + e.what() + ").", path};
  return {ErrorCode::internal, std::string("SQLite: ") + e.what(), path};
}

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

std::uint32_t big_endian(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

std::string uri(const std::string& path, const char* query) {
  std::string out = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    if (c == '?' || c == '#' || c == '%') {
      char hex[4];
      std::snprintf(hex, sizeof(hex), "%%%02X", static_cast<unsigned char>(c));
      out += hex;
    } else {
      out += c;
    }
  }
  return out + query;
}

void upgrade(SQLite::Database& database) {
  SQLite::Transaction transaction(database);
  database.exec(brief_of_1_sql);
  database.exec(upgrade_to_2_sql);
  database.exec("PRAGMA user_version = 2");
  transaction.commit();
}

bool has_content(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && info.st_size > 0;
}

}  // namespace

int format_of(SQLite::Database& database) { return database.execAndGet("PRAGMA user_version").getInt(); }

base::Status guarded(const std::string& path, const std::function<void()>& work) {
  try {
    work();
    return base::done();
  } catch (const SQLite::Exception& e) {
    return from_sqlite(e, path);
  }
}

bool on_network(const std::string& path) {
  struct statfs info {};
  if (statfs(folder_of(path).c_str(), &info) != 0) return false;
  // NFS, SMB, CIFS, SMB2, AFS, Ceph, Lustre, GPFS, 9P, FUSE (sshfs and many cluster file systems)
  constexpr std::array<std::uint32_t, 10> network = {0x6969,     0x517B,     0xFF534D42, 0xFE534D42, 0x5346414F,
                                                     0x00C36400, 0x0BD00BD0, 0x47504653, 0x01021997, 0x65735546};
  for (const std::uint32_t type : network)
    if (static_cast<std::uint32_t>(info.f_type) == type) return true;
  return false;
}

base::Status check_header(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOENT) return Error{ErrorCode::not_found, "there is no such session file.", path};
    return Error{ErrorCode::io, std::string("cannot read the session: ") + std::strerror(errno) + ".", path};
  }
  std::array<unsigned char, 100> header{};
  const ssize_t n = read(fd, header.data(), header.size());
  close(fd);
  if (n < 0) return Error{ErrorCode::bad_input, std::string("this is not a Kernelwright session (") + std::strerror(errno) + ").", path};
  const bool sqlite = n == 100 && std::memcmp(header.data(), "SQLite format 3", 16) == 0;
  if (!sqlite || big_endian(&header[68]) != static_cast<std::uint32_t>(application_id))
    return Error{ErrorCode::bad_input, "this is not a Kernelwright session; it is left as it is.", path};
  const auto version = big_endian(&header[60]);
  if (version > static_cast<std::uint32_t>(schema_version))
    return Error{ErrorCode::bad_input,
                 "the session was written by a newer Kernelwright (format " + std::to_string(version) + ", this one reads up to " +
                     std::to_string(schema_version) + "). Update Kernelwright; the file is left as it is.",
                 path};
  return base::done();
}

base::Result<std::unique_ptr<SQLite::Database>> open_for_reading(const std::string& path) {
  if (auto status = check_header(path); !status) return status.error();
  std::unique_ptr<SQLite::Database> database;
  const auto probe = [&](const std::string& name, int flags) {
    return guarded(path, [&] {
      database = std::make_unique<SQLite::Database>(name, flags, 5000);
      database->execAndGet("SELECT count(*) FROM meta");
    });
  };
  auto status = probe(path, SQLite::OPEN_READONLY);
  // A file left in WAL mode without its side files, in a folder where SQLite cannot make them: nothing else can be
  // writing there, so the file alone is the whole truth.
  if (!status && !has_content(path + "-wal")) status = probe(uri(path, "?immutable=1"), SQLite::OPEN_READONLY | SQLite::OPEN_URI);
  if (!status) return status.error();
  return database;
}

base::Result<std::unique_ptr<SQLite::Database>> open_for_writing(const std::string& path) {
  if (auto status = check_header(path); !status) return status.error();
  std::unique_ptr<SQLite::Database> database;
  auto status = guarded(path, [&] {
    database = std::make_unique<SQLite::Database>(path, SQLite::OPEN_READWRITE, 5000);
    database->exec("PRAGMA foreign_keys = ON");
    database->exec(on_network(path) ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL");
    database->exec("PRAGMA synchronous = NORMAL");
    if (format_of(*database) == 1) upgrade(*database);
    // A write that changes nothing, to meet a read-only file or folder now and not after an hour of work.
    database->exec("PRAGMA user_version = " + std::to_string(schema_version));
  });
  if (!status) return status.error();
  return database;
}

base::Status create_file(const std::string& path) {
  const std::string draft = path + ".new-" + std::to_string(getpid());
  unlink(draft.c_str());
  auto status = guarded(path, [&] {
    SQLite::Database database(draft, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 5000);
    SQLite::Transaction transaction(database);
    database.exec("PRAGMA application_id = " + std::to_string(application_id));
    database.exec("PRAGMA user_version = " + std::to_string(schema_version));
    database.exec(schema_sql);
    transaction.commit();
  });
  if (status && link(draft.c_str(), path.c_str()) != 0) {
    const int why = errno;
    // Some network and FAT file systems have no hard links.
    const bool renamed = why != EEXIST && access(path.c_str(), F_OK) != 0 && rename(draft.c_str(), path.c_str()) == 0;
    if (!renamed) status = Error{ErrorCode::io, std::string("cannot create the session: ") + std::strerror(why) + ".", path};
  }
  unlink(draft.c_str());
  return status;
}

base::Status leave_wal(SQLite::Database& database) {
  return guarded(database.getFilename(), [&] { database.exec("PRAGMA journal_mode = DELETE"); });
}

}  // namespace kw::store
