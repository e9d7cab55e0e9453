#include "ui/shell/icons.h"

#include <array>

#include <QPainter>
#include <QSvgRenderer>

#include "ui/shell/theme.h"

namespace kw::ui {

namespace {

struct Drawing { const char* name; Tone tone; const char* body; };   // on a square of 24

constexpr std::array<Drawing, 15> drawings{{
    {"open", Tone::text, "<path d='M3 19V6h6l2 2.5h7V11'/><path d='M3 19l3-8h16l-3 8z'/>"},
    {"optimize", Tone::good, "<path d='M7 4.5v15l12-7.5z' fill='%1'/>"},
    {"pause", Tone::text, "<path d='M8 5v14M16 5v14' stroke-width='3'/>"},
    {"resume", Tone::text, "<path d='M5 5v14M10 5v14l10-7z'/>"},
    {"stop", Tone::failure, "<path d='M6 6h12v12H6z' fill='%1'/>"},
    {"profile", Tone::text, "<path d='M4 20V4M4 20h17M8 16v-5M12 16V7M16 16v-3M20 16V9'/>"},
    {"palette", Tone::text, "<circle cx='10.5' cy='10.5' r='6.5'/><path d='M15.5 15.5L21 21'/>"},
    {"settings", Tone::text, "<path d='M4 7h9M19 7h1M4 17h1M11 17h9'/><circle cx='16' cy='7' r='2.6'/><circle cx='8' cy='17' r='2.6'/>"},
    {"help", Tone::faint_text, "<path d='M8.5 9a3.5 3.5 0 1 1 5 3.2c-1 .6-1.5 1.2-1.5 2.6'/><path d='M12 18.5v.3' stroke-width='2.4'/>"},
    {"float", Tone::faint_text, "<path d='M9 5h10v10H9zM15 15v4H5V9h4'/>"},
    {"close", Tone::faint_text, "<path d='M6 6l12 12M18 6L6 18'/>"},
    {"folder", Tone::faint_text, "<path d='M3 19V6h6l2 2.5h10V19z'/>"},
    {"file", Tone::faint_text, "<path d='M6 3h8l5 5v13H6z'/><path d='M14 3v5h5'/>"},
    {"session", Tone::accent, "<path d='M6 3h8l5 5v13H6z'/><circle cx='12.5' cy='11' r='1.6'/><circle cx='9.5' cy='17' r='1.6'/><circle cx='15.5' cy='17' r='1.6'/><path d='M12 12.5l-2 3M13 12.5l2 3'/>"},
    {"model", Tone::good, "<path d='M12 3l8 4.5v9L12 21l-8-4.5v-9z'/><path d='M4 7.5l8 4.5 8-4.5M12 12v9'/>"},
}};

constexpr int sizes[] = {16, 24, 32, 48};

}  // namespace

QIcon icon(const char* name) {
  QIcon out;
  for (const Drawing& drawing : drawings) {
    if (qstrcmp(drawing.name, name) != 0) continue;
    for (const QIcon::Mode mode : {QIcon::Normal, QIcon::Disabled}) {
      const QString colour = tone(mode == QIcon::Normal ? drawing.tone : Tone::border).name();
      const QString svg = QStringLiteral("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='%1' stroke-width='1.7' "
                                         "stroke-linejoin='round' stroke-linecap='round'>%2</svg>")
                              .arg(colour, QString::fromLatin1(drawing.body).replace(QLatin1String("%1"), colour));
      QSvgRenderer renderer(svg.toUtf8());
      for (const int size : sizes) {
        QPixmap pixmap(size, size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        renderer.render(&painter);
        out.addPixmap(pixmap, mode);
      }
    }
  }
  return out;
}

}  // namespace kw::ui
