#include "ui/widgets/status_delegate.h"

#include "ui/models/roles.h"
#include "ui/widgets/palette.h"

namespace kw::ui {

void StatusDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  const QVariant status = index.data(StatusRole);
  if (!status.isValid() || (status.toString().isEmpty() && option->text.isEmpty())) return;
  const QColor colour = look_color(status.toString());
  option->palette.setColor(QPalette::Text, colour);
  option->palette.setColor(QPalette::HighlightedText, colour);
  // A sentence beside the word (a verdict's meaning) follows it.
  const QString words = look_text(status.toString());
  const bool same = option->text == status.toString() || words.endsWith(option->text);
  option->text = same ? words : words + QStringLiteral("  ·  ") + option->text;
}

}  // namespace kw::ui
