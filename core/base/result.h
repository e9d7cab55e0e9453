#pragma once
// Errors as values. A Result<T> holds a T or an Error; no exception crosses a part's boundary.
// Exceptions are caught where torch, a parser or the standard library throws them.

#include <string>
#include <utility>
#include <variant>

namespace kw::base {

enum class ErrorCode {
  bad_input,      // the user's file, option or model is at fault: exit status 2
  not_found,      // a file, candidate or task does not exist
  unsupported,    // valid, but this version cannot do it
  busy,           // somebody else holds it (session lock, device lock)
  cancelled,      // a cancel token fired
  lost,           // a child process died or broke the protocol
  io,             // disk full, permission, short read
  internal,       // our own mistake
};

const char* to_string(ErrorCode code);

// `message`: what happened and what the user can do, one sentence each.
// `context`: where (file:line of the user's file, archive entry, node), may be empty.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  std::string context;

  std::string text() const { return context.empty() ? message : context + ": " + message; }
};

inline Error bad_input(std::string message, std::string context = {}) {
  return {ErrorCode::bad_input, std::move(message), std::move(context)};
}

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;
inline Status done() { return Done{}; }

}  // namespace kw::base
