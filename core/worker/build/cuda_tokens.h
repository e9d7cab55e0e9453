#pragma once
// The tokens of a CUDA source as NVRTC's preprocessor sees them: lines joined at backslashes, comments gone, raw strings whole,
// digraphs read as what they stand for, no trigraphs (NVRTC has them off). Nothing is expanded. Any thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kw::build {

struct Token {
  enum class Kind : std::uint8_t { identifier, number, string, character, punctuation, unclear };
  Kind kind = Kind::punctuation;   // unclear: before a quote that NVRTC reads in one way here and in another there
  std::string text;           // a string's or character's text is what stands between its quotes, escapes as written
  bool first = false;         // the first of its line: a '#' there begins a directive
  int line = 0;               // from 1
};

// The standard keeps a backslash before a line's end within a raw string; NVRTC 13.0 joins the lines there, too. A rule holds under both.
enum class RawStrings : std::uint8_t { joined, verbatim };

// Punctuation comes one character at a time, but for "##". A suffix stays with its literal and is dropped.
std::vector<Token> tokens_of(std::string_view source, RawStrings raw = RawStrings::joined);

}  // namespace kw::build
