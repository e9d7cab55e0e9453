#pragma once
// The one table of colours, light and dark, and of the signs that stand for verdicts: a glyph and a word each, so that colour is never the
// only sign. Everything else follows QApplication's palette; widgets that paint themselves ask again on QEvent::PaletteChange. GUI thread.

#include <QColor>
#include <QFont>
#include <QString>

namespace kw::ui {

enum class Scheme { light, dark };

enum class Tone {                               // what a colour is for
  window, panel, base, stripe, border, text, faint_text, accent, selection,
  good, equal, bad, failure, cheat, waiting, working, warning,
  plot_a, plot_b, plot_c, plot_d, plot_e, plot_f,
  keyword, comment, literal, number, preprocessor, current_line,
  added, removed, marked, tone_count,
};

// Palette, style and style sheet of the whole application. `text_percent`: size of all text against the system's.
void apply_theme(Scheme scheme, int text_percent = 100);
Scheme current_scheme();
QColor tone(Tone tone);                         // in the current scheme
QColor tone(Tone tone, Scheme scheme);
QFont fixed_font();                             // for source text, at the application's size

struct Sign {
  const char* name;                             // a verdict, an outcome or a state, as the engine says it
  const char* glyph;
  const char* label;                            // for people
  Tone tone;
};
// "cheat:input_alias" and "not_evaluated:cancelled" stand under "cheat" and "not_evaluated"; an unknown name gets a plain sign.
const Sign& sign_of(const QString& name);
QString sign_text(const QString& name);         // "≠ wrong result"; of a kind: "⚑ cheat: input alias"

// A candidate by both: its outcome where it was accepted, else its verdict.
QString status_of(const QString& verdict, const QString& outcome);

}  // namespace kw::ui
