#pragma once
// The one table of how a verdict looks: a colour for light and dark, a shape and a glyph, for colour is never the only sign. And the colours
// that canvases draw with beside it, derived from the widget's QPalette.

#include <cstdint>
#include <vector>

#include <QColor>
#include <QPalette>
#include <QString>

namespace kw::ui {

enum class NodeShape : std::uint8_t { ring, disc, square };   // not judged yet, right, failed

struct VerdictStyle {
  const char* key;           // a verdict of the protocol, "" while it waits; of accepted ones the outcome: "accepted:faster"
  const char* name;          // in legends and filters
  const char* glyph;         // one character
  NodeShape shape;
  QColor light, dark;        // on a light and on a dark background, as text too: a contrast of at least 4.5
  const char* meaning;       // one sentence, of a verdict
  const QColor& color(bool on_dark) const { return on_dark ? dark : light; }
};

const std::vector<VerdictStyle>& verdict_styles();
// The row of a verdict ("cheat:input_alias" is a cheat) and, where it is "accepted", of its outcome. An unknown verdict gets the last row.
std::uint8_t verdict_row(const QString& verdict, const QString& outcome);
inline const VerdictStyle& verdict_style(std::uint8_t row) { return verdict_styles()[row]; }

// Of one word: a verdict, an outcome ("faster"), a state of a task, a review's decision or a level of the log.
const VerdictStyle& look_of(const QString& name);
QColor look_color(const QString& name);         // on the application's own ground
QString look_text(const QString& name);         // "≠ wrong result"; of a kind: "! cheat: input alias"

// A candidate by both: its outcome where it was accepted, else its verdict.
QString status_of(const QString& verdict, const QString& outcome);

bool is_dark(const QPalette& palette);

struct CanvasColors {
  bool dark = false;
  QColor background, grid, edge, text, faint_text, accent, best, card, card_border, faded;
};
CanvasColors canvas_colors(const QPalette& palette);

// Of a name (operator, kernel): the same name has the same colour everywhere; readable below `text_on(colour)`.
QColor name_color(const QString& name, bool on_dark);
QColor text_on(const QColor& background);

// Changed, added and removed text in differences.
struct DiffColors { QColor added, removed, changed_word_added, changed_word_removed, filler; };
DiffColors diff_colors(bool on_dark);

}  // namespace kw::ui
