#pragma once
// The one table of the window's colours, light and dark; how verdicts look stands in ui/widgets/palette.h. Everything else follows
// QApplication's palette; widgets that paint themselves ask again on QEvent::PaletteChange. GUI thread.

#include <QColor>
#include <QFont>
#include <QString>

namespace kw::ui {

enum class Scheme { light, dark };

enum class Tone {                               // what a colour is for
  window, panel, base, stripe, border, text, faint_text, accent, selection,
  good, failure, waiting, working, warning,
  plot_a, plot_b, plot_c, plot_d, plot_e, plot_f,
  keyword, comment, literal, number, preprocessor, current_line,
  removed, marked, tone_count,
};

// Palette, style and style sheet of the whole application. `text_percent`: size of all text against the system's.
void apply_theme(Scheme scheme, int text_percent = 100);
Scheme current_scheme();
QColor tone(Tone tone);                         // in the current scheme
QColor tone(Tone tone, Scheme scheme);
QFont fixed_font();                             // for source text, at the application's size

}  // namespace kw::ui
