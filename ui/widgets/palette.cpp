#include "ui/widgets/palette.h"

#include <QGuiApplication>
#include <QHash>

namespace kw::ui {
namespace {

// Hues tell groups apart for every kind of colour vision: blue-green is right, orange to red is wrong, purple is refused, grey is not known.
const std::vector<VerdictStyle> styles = {
    {"", "waiting", "○", NodeShape::ring, {0x66, 0x6d, 0x79}, {0x8f, 0x98, 0xa6}, "Proposed, not evaluated yet."},
    {"in_flight", "in flight", "…", NodeShape::ring, {0x1f, 0x6f, 0xd6}, {0x6c, 0xb0, 0xff}, "Being built, checked or timed now."},
    {"accepted:faster", "faster", "▲", NodeShape::disc, {0x0a, 0x7d, 0x5b}, {0x3c, 0xc9, 0x97}, "Right, and faster than the strongest baseline."},
    {"accepted:equal", "equal", "=", NodeShape::disc, {0x2f, 0x70, 0x98}, {0x6f, 0xb4, 0xdb}, "Right, and as fast as the strongest baseline."},
    {"accepted:slower", "slower", "▼", NodeShape::disc, {0x5c, 0x69, 0x7d}, {0x93, 0xa1, 0xb5}, "Right, but slower than the strongest baseline."},
    {"accepted:undecided", "undecided", "±", NodeShape::disc, {0x78, 0x69, 0x22}, {0xc9, 0xb9, 0x62}, "Right; the interval of its ratio does not decide."},
    {"accepted", "accepted", "✓", NodeShape::disc, {0x1f, 0x77, 0x77}, {0x56, 0xbd, 0xbd}, "Right; not timed."},
    {"build_error", "build error", "B", NodeShape::square, {0xa6, 0x57, 0x05}, {0xf0, 0x9c, 0x48}, "The compiler refused it."},
    {"launch_error", "launch error", "L", NodeShape::square, {0xa8, 0x4b, 0x18}, {0xe8, 0x8a, 0x55}, "It was built, but could not be started."},
    {"crash", "crash", "✕", NodeShape::square, {0xb3, 0x26, 0x1e}, {0xf2, 0x6d, 0x65}, "It ended by a signal or poisoned its context."},
    {"timeout", "timeout", "T", NodeShape::square, {0x94, 0x54, 0x00}, {0xd9, 0x9a, 0x2b}, "It did not end in time."},
    {"wrong_result", "wrong result", "≠", NodeShape::square, {0xc6, 0x28, 0x28}, {0xff, 0x7b, 0x72}, "Its outputs are not those of the float64 truth."},
    {"imprecise", "imprecise", "~", NodeShape::square, {0xc2, 0x41, 0x5d}, {0xf5, 0x8c, 0xa4}, "Its error is larger than its tolerance."},
    {"nondeterministic", "nondeterministic", "↯", NodeShape::square, {0xad, 0x3a, 0x7e}, {0xea, 0x8a, 0xc2}, "Two runs on the same inputs differ."},
    {"out_of_bounds", "out of bounds", "]", NodeShape::square, {0xa0, 0x1c, 0x4b}, {0xe8, 0x6a, 0x95}, "It touched memory that is not its own."},
    {"input_mutated", "input mutated", "M", NodeShape::square, {0x8e, 0x3b, 0x8e}, {0xd3, 0x8c, 0xdb}, "It changed its inputs."},
    {"cheat", "cheat", "!", NodeShape::square, {0x6a, 0x2f, 0xa8}, {0xb5, 0x8a, 0xf5}, "It did not do the work it is timed for."},
    {"impossible_speed", "impossible speed", "∞", NodeShape::square, {0x53, 0x3c, 0xb5}, {0x9d, 0x92, 0xf7}, "Faster than the hardware allows, so something is wrong."},
    {"out_of_memory", "out of memory", "O", NodeShape::square, {0x7a, 0x55, 0x48}, {0xbc, 0x9a, 0x8c}, "It asked for more memory than there is."},
    {"not_evaluated", "not evaluated", "–", NodeShape::ring, {0x70, 0x70, 0x70}, {0x9a, 0x9a, 0x9a}, "Cancelled, or the machine was lost or busy: nothing is learned from it."},
    {"?", "unknown", "?", NodeShape::ring, {0x55, 0x55, 0x55}, {0xb0, 0xb0, 0xb0}, "A verdict that this version does not know."},
};

// What a task, a review or a line of the log says of itself, in words of the engine.
const std::vector<VerdictStyle> states = {
    {"not searched", "not searched", "○", NodeShape::ring, {0x66, 0x6d, 0x79}, {0x8f, 0x98, 0xa6}, ""},
    {"searching", "searching", "…", NodeShape::ring, {0x1f, 0x6f, 0xd6}, {0x6c, 0xb0, 0xff}, ""},
    {"failed", "failed", "✗", NodeShape::square, {0xc6, 0x28, 0x28}, {0xff, 0x7b, 0x72}, ""},
    {"approved", "approved", "✓", NodeShape::disc, {0x0a, 0x7d, 0x5b}, {0x3c, 0xc9, 0x97}, ""},
    {"rejected", "rejected", "✗", NodeShape::square, {0xc6, 0x28, 0x28}, {0xff, 0x7b, 0x72}, ""},
    {"comment", "comment", "✎", NodeShape::ring, {0x2f, 0x70, 0x98}, {0x6f, 0xb4, 0xdb}, ""},
    {"void", "void", "∅", NodeShape::ring, {0x8a, 0x5a, 0x00}, {0xe0, 0xa6, 0x3c}, ""},
    {"info", "info", "●", NodeShape::ring, {0x2f, 0x70, 0x98}, {0x6f, 0xb4, 0xdb}, ""},
    {"warning", "warning", "⚠", NodeShape::ring, {0x8a, 0x5a, 0x00}, {0xe0, 0xa6, 0x3c}, ""},
    {"error", "error", "✕", NodeShape::ring, {0xc6, 0x28, 0x28}, {0xff, 0x7b, 0x72}, ""},
    {"debug", "debug", "○", NodeShape::ring, {0x66, 0x6d, 0x79}, {0x8f, 0x98, 0xa6}, ""},
};

QHash<QString, std::uint8_t> rows_by_key() {
  QHash<QString, std::uint8_t> out;
  for (std::size_t i = 0; i < styles.size(); ++i) out.insert(QString::fromUtf8(styles[i].key), static_cast<std::uint8_t>(i));
  return out;
}

QColor mixed(const QColor& a, const QColor& b, double share_of_b) {
  const auto channel = [&](int x, int y) { return static_cast<int>(x + (y - x) * share_of_b); };
  return QColor(channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue()));
}

}  // namespace

const std::vector<VerdictStyle>& verdict_styles() { return styles; }

std::uint8_t verdict_row(const QString& verdict, const QString& outcome) {
  static const QHash<QString, std::uint8_t> rows = rows_by_key();
  const QString key = verdict == "accepted" && !outcome.isEmpty() ? verdict + ':' + outcome : verdict;
  if (const auto found = rows.find(key); found != rows.end()) return *found;
  const auto found = rows.find(key.section(':', 0, 0));
  return found != rows.end() ? *found : static_cast<std::uint8_t>(styles.size() - 1);
}

const VerdictStyle& look_of(const QString& name) {
  for (const VerdictStyle& state : states)
    if (name == QLatin1String(state.key)) return state;
  const std::uint8_t as_outcome = verdict_row(QStringLiteral("accepted"), name);
  return verdict_style(verdict_style(as_outcome).key == QLatin1String("accepted") ? verdict_row(name, {}) : as_outcome);
}

QColor look_color(const QString& name) { return look_of(name).color(is_dark(QGuiApplication::palette())); }

QString look_text(const QString& name) {
  const VerdictStyle& look = look_of(name);
  const QString label = &look == &styles.back() ? name : QString::fromUtf8(look.name);
  const QString kind = name.section(u':', 1).replace(u'_', u' ');
  return QString::fromUtf8(look.glyph) + u' ' + label + (kind.isEmpty() ? QString() : QStringLiteral(": ") + kind);
}

QString status_of(const QString& verdict, const QString& outcome) {
  return verdict == QLatin1String("accepted") && !outcome.isEmpty() ? outcome : verdict;
}

bool is_dark(const QPalette& palette) { return palette.color(QPalette::Base).lightness() < 128; }

CanvasColors canvas_colors(const QPalette& palette) {
  const bool dark = is_dark(palette);
  const QColor base = palette.color(QPalette::Base), text = palette.color(QPalette::Text);
  CanvasColors c;
  c.dark = dark;
  c.background = base;
  c.grid = mixed(base, text, 0.09);
  c.edge = mixed(base, text, dark ? 0.34 : 0.30);
  c.text = text;
  c.faint_text = mixed(base, text, 0.66);
  c.accent = dark ? QColor(0x6c, 0xb0, 0xff) : QColor(0x1f, 0x6f, 0xd6);
  c.best = dark ? QColor(0xff, 0xc8, 0x4a) : QColor(0xc7, 0x7c, 0x00);
  c.card = mixed(base, text, dark ? 0.07 : 0.02);
  c.card_border = mixed(base, text, 0.25);
  c.faded = mixed(base, text, 0.20);
  return c;
}

QColor name_color(const QString& name, bool on_dark) {
  // A hash of its own: qHash is seeded anew in every process.
  std::uint32_t hash = 2166136261u;
  for (const QChar c : name) hash = (hash ^ c.unicode()) * 16777619u;
  hash ^= hash >> 15;
  const int hue = static_cast<int>(hash % 24) * 15;
  const int saturation = 90 + static_cast<int>(hash / 24 % 3) * 25;
  return QColor::fromHsl(hue, saturation, on_dark ? 105 : 168);
}

QColor text_on(const QColor& background) {
  return background.red() * 0.299 + background.green() * 0.587 + background.blue() * 0.114 > 140 ? QColor(0x14, 0x16, 0x1a) : QColor(0xff, 0xff, 0xff);
}

DiffColors diff_colors(bool on_dark) {
  if (on_dark) return {{0x1d, 0x3b, 0x2f}, {0x47, 0x26, 0x28}, {0x2f, 0x7d, 0x5b}, {0x9c, 0x41, 0x41}, {0x2a, 0x2c, 0x30}};
  return {{0xdf, 0xf5, 0xe8}, {0xfc, 0xe4, 0xe2}, {0x93, 0xdb, 0xb4}, {0xf3, 0xa9, 0xa4}, {0xf0, 0xf1, 0xf3}};
}

}  // namespace kw::ui
