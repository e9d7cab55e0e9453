#pragma once
// The tables of a session file. Bump schema_version with every change and add the step that brings an older file up.

namespace kw::store {

inline constexpr int application_id = 0x4B575231;   // "KWR1"
inline constexpr int schema_version = 2;
extern const char* const schema_sql;
extern const char* const brief_of_1_sql;     // makes temp.brief: the plain columns that format 1 has as JSON only
extern const char* const upgrade_to_2_sql;   // wants temp.brief

}  // namespace kw::store
