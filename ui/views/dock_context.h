#pragma once
// What every dock gets from the shell.
namespace kw::ui {
class Engine;
class Selection;
struct DockContext {
  Engine* engine = nullptr;
  Selection* selection = nullptr;
};
}
