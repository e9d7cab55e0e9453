#include "ui/shell/theme.h"

#include <array>

#include <QApplication>
#include <QFontDatabase>
#include <QPalette>
#include <QStyleFactory>

namespace kw::ui {

namespace {

struct Shade { Tone tone; QRgb light, dark; };

// In the order of Tone. Text on its ground has a contrast of at least 4.5 in both schemes.
constexpr std::array<Shade, static_cast<std::size_t>(Tone::tone_count)> shades{{
    {Tone::window, 0xffeef0f3, 0xff21242a}, {Tone::panel, 0xffe4e7ec, 0xff2a2e36}, {Tone::base, 0xffffffff, 0xff191c21},
    {Tone::stripe, 0xfff6f7f9, 0xff1e2127}, {Tone::border, 0xffcdd2da, 0xff3a404b}, {Tone::text, 0xff1d232d, 0xffd9dde5},
    {Tone::faint_text, 0xff596273, 0xff98a1b0}, {Tone::accent, 0xff1a66c4, 0xff5aa5f2}, {Tone::selection, 0xffcfe2fa, 0xff2b4a6f},
    {Tone::good, 0xff136f3f, 0xff52c98d}, {Tone::failure, 0xffb4232f, 0xfff47f88}, {Tone::waiting, 0xff6a7280, 0xff8f98a6},
    {Tone::working, 0xff1a66c4, 0xff5aa5f2}, {Tone::warning, 0xff8a5a00, 0xffe0a63c},
    {Tone::plot_a, 0xff1a66c4, 0xff5aa5f2}, {Tone::plot_b, 0xffc2570c, 0xfff29b54}, {Tone::plot_c, 0xff14805a, 0xff4fc9a0},
    {Tone::plot_d, 0xff9b2c8f, 0xffdc8ad2}, {Tone::plot_e, 0xff7a6a00, 0xffd9c650}, {Tone::plot_f, 0xff5b5fc7, 0xffa3a6f5},
    {Tone::keyword, 0xff0a55a8, 0xff79b8ff}, {Tone::comment, 0xff5d6b5d, 0xff8aa088}, {Tone::literal, 0xff9a3412, 0xfff0a878},
    {Tone::number, 0xff0f766e, 0xff7fd4c1}, {Tone::preprocessor, 0xff86309c, 0xffcf9be0}, {Tone::current_line, 0xffeef4fc, 0xff232a34},
    {Tone::removed, 0xfffbe1e3, 0xff44242a}, {Tone::marked, 0xfffdf0bf, 0xff4d4220},
}};

struct RoleTone { QPalette::ColorRole role; Tone tone; };
constexpr RoleTone role_tones[] = {
    {QPalette::Window, Tone::window}, {QPalette::WindowText, Tone::text}, {QPalette::Base, Tone::base}, {QPalette::AlternateBase, Tone::stripe},
    {QPalette::Text, Tone::text}, {QPalette::Button, Tone::panel}, {QPalette::ButtonText, Tone::text}, {QPalette::ToolTipBase, Tone::panel},
    {QPalette::ToolTipText, Tone::text}, {QPalette::PlaceholderText, Tone::faint_text}, {QPalette::Highlight, Tone::selection},
    {QPalette::HighlightedText, Tone::text}, {QPalette::Link, Tone::accent}, {QPalette::LinkVisited, Tone::accent},
    {QPalette::BrightText, Tone::failure}, {QPalette::Mid, Tone::border}, {QPalette::Dark, Tone::border}, {QPalette::Midlight, Tone::panel},
};

QPalette palette_of(Scheme scheme) {
  QPalette palette;
  for (const RoleTone& row : role_tones) palette.setColor(row.role, tone(row.tone, scheme));
  palette.setColor(QPalette::Light, scheme == Scheme::dark ? tone(Tone::panel, scheme).lighter(115) : QColor(Qt::white));
  palette.setColor(QPalette::Shadow, QColor(0, 0, 0, scheme == Scheme::dark ? 160 : 60));
  for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, tone(Tone::waiting, scheme));
  return palette;
}

// What the Fusion style has no palette role for. Sizes are in em and ex, so they follow the text.
QString style_sheet(Scheme scheme) {
  const auto name = [scheme](Tone t) { return tone(t, scheme).name(); };
  return QStringLiteral(
             "QToolTip { color: %1; background: %2; border: 1px solid %3; padding: 0.3em; }"
             "QMainWindow::separator { background: %4; width: 4px; height: 4px; }"
             "QMainWindow::separator:hover { background: %5; }"
             "QHeaderView::section { background: %4; color: %6; border: none; border-right: 1px solid %3; border-bottom: 1px solid %3; padding: 0.25em 3px; }"
             "QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-origin: border; subcontrol-position: top center; width: 8px; height: 6px; }"
             "QTreeView, QTableView, QListView, QPlainTextEdit, QTextBrowser, QTextEdit { border: none; }"
             "QTreeView::item { padding: 0.15em 0; }"
             "QTabWidget::pane { border: none; border-top: 1px solid %3; }"
             "QTabBar { background: %4; }"
             "QTabBar::tab { background: transparent; color: %6; padding: 0.35em 0.8em; border: none; border-bottom: 2px solid transparent; }"
             "QTabBar::tab:selected { color: %1; border-bottom: 2px solid %5; }"
             "QTabBar::tab:hover { color: %1; }"
             "QStatusBar { border-top: 1px solid %3; } QStatusBar::item { border: none; }"
             "QToolBar { border: none; border-bottom: 1px solid %3; spacing: 0.2em; padding: 0.15em; }"
             "QMenuBar { border-bottom: 1px solid %3; }")
      .arg(name(Tone::text), name(Tone::panel), name(Tone::border), name(Tone::window), name(Tone::accent), name(Tone::faint_text));
}

double system_point_size() {
  static const double size = QFontDatabase::systemFont(QFontDatabase::GeneralFont).pointSizeF();
  return size;
}

}  // namespace

QColor tone(Tone which, Scheme scheme) {
  const Shade& shade = shades[static_cast<std::size_t>(which)];
  return QColor::fromRgb(scheme == Scheme::dark ? shade.dark : shade.light);
}

QColor tone(Tone which) { return tone(which, current_scheme()); }

Scheme current_scheme() { return QApplication::palette().color(QPalette::Window).lightness() < 128 ? Scheme::dark : Scheme::light; }

void apply_theme(Scheme scheme, int text_percent) {
  if (QApplication::style()->objectName() != QLatin1String("fusion")) QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  QFont font = QApplication::font();
  font.setPointSizeF(system_point_size() * text_percent / 100);
  QApplication::setFont(font);
  QApplication::setPalette(palette_of(scheme));
  qApp->setStyleSheet(style_sheet(scheme));
}

QFont fixed_font() {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPointSizeF(QApplication::font().pointSizeF());
  font.setStyleHint(QFont::Monospace);
  return font;
}

}  // namespace kw::ui
