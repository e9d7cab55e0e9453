#pragma once
// SQLite for one session file: opens it with the right journal, checks that it is ours, and turns SQLite's exceptions
// into errors that say what the user can do. One thread.

#include <functional>
#include <memory>
#include <string>

#include "core/base/result.h"

namespace SQLite {
class Database;
class Exception;
}  // namespace SQLite

namespace kw::store {

// Reads the header of `path` without touching anything: not_found, bad_input (a foreign, damaged or newer file), io.
base::Status check_header(const std::string& path);

base::Result<std::unique_ptr<SQLite::Database>> open_for_reading(const std::string& path);
// A file of an older format is brought up. WAL while open, unless the folder is on a network file system (WAL needs shared memory between all who open the file).
base::Result<std::unique_ptr<SQLite::Database>> open_for_writing(const std::string& path);
int format_of(SQLite::Database& database);   // its schema_version
// A new file with the schema, complete or not there at all: made under another name, then linked to `path`.
base::Status create_file(const std::string& path);
// Back to one self-contained file.
base::Status leave_wal(SQLite::Database& database);

// Runs `work` and turns what SQLite throws into an Error that names `path`.
base::Status guarded(const std::string& path, const std::function<void()>& work);

bool on_network(const std::string& path);

}  // namespace kw::store
