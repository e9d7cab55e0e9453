#pragma once
// The tables of a session file. Bump schema_version with every change and add the step that brings an older file up.

namespace kw::store {

inline constexpr int application_id = 0x4B575231;   // "KWR1"
inline constexpr int schema_version = 1;
extern const char* const schema_sql;

}  // namespace kw::store
