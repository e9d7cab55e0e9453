#pragma once
// What every dock gets from the shell.
namespace kw::ui {
class Engine;
class Selection;
class Session;
struct DockContext {
  Engine* engine = nullptr;
  Selection* selection = nullptr;
  Session* session = nullptr;          // the open session's data and models
};
}
