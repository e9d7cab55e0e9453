#include "ui/shell/open_dialog.h"

#include <QCheckBox>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "ui/bridge/engine.h"
#include "ui/models/quantities.h"
#include "ui/shell/icons.h"

namespace kw::ui {

struct Listing {
  struct Entry { QString name, kind, modified; std::optional<double> bytes; };
  QString path, parent;
  std::vector<Entry> entries;
};

namespace {

constexpr int width_characters = 120, height_lines = 28;

Listing listing_of(const json& result) {
  Listing listing{text(result, "path"), text(result, "parent"), {}};
  for (const json& e : array(result, "entries")) listing.entries.push_back({text(e, "name"), text(e, "kind"), text(e, "modified"), number(e, "bytes")});
  std::sort(listing.entries.begin(), listing.entries.end(), [](const auto& a, const auto& b) {
    return std::make_pair(a.kind != QLatin1String("dir"), a.name.toLower()) < std::make_pair(b.kind != QLatin1String("dir"), b.name.toLower());
  });
  return listing;
}

const char* icon_of(const Listing::Entry& entry) {
  if (entry.kind == QLatin1String("dir")) return "folder";
  return is_session(entry.name) ? "session" : is_model(entry.name) ? "model" : "file";
}

QString joined(const QString& folder, const QString& name) { return folder.endsWith(u'/') ? folder + name : folder + u'/' + name; }

}  // namespace

bool is_session(const QString& path) { return path.endsWith(QLatin1String(".kwr")); }

bool is_model(const QString& path) {
  return path.endsWith(QLatin1String(".py")) || path.endsWith(QLatin1String(".pt2")) || path.endsWith(QLatin1String(".pt"));
}

OpenDialog::OpenDialog(Engine* engine, const Settings& settings, const QString& start, QWidget* parent)
    : QDialog(parent), engine_(engine), where_(new QLineEdit), list_(new QTreeWidget), note_(new QLabel), all_(new QCheckBox(QStringLiteral("&All files"))) {
  setWindowTitle(QStringLiteral("Open on %1").arg(settings.engine_name()));
  where_->setAccessibleName(QStringLiteral("Folder or file"));
  auto* up = new QToolButton;
  up->setArrowType(Qt::UpArrow);
  up->setToolTip(QStringLiteral("Folder above (Alt+Up)"));
  up->setAccessibleName(QStringLiteral("Folder above"));
  up->setShortcut(QKeySequence(Qt::ALT | Qt::Key_Up));
  auto* home = new QPushButton(QStringLiteral("&Home"));
  home->setAutoDefault(false);
  list_->setAccessibleName(QStringLiteral("Files"));
  list_->setHeaderLabels({QStringLiteral("Name"), QStringLiteral("Size"), QStringLiteral("Modified")});
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->header()->setStretchLastSection(false);
  list_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  note_->setForegroundRole(QPalette::PlaceholderText);
  note_->setWordWrap(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel);
  open_ = buttons->button(QDialogButtonBox::Open);

  auto* top = new QHBoxLayout;
  top->addWidget(where_, 1);
  top->addWidget(up);
  top->addWidget(home);
  auto* bottom = new QHBoxLayout;
  bottom->addWidget(all_);
  bottom->addWidget(note_, 1);
  auto* column = new QVBoxLayout(this);
  column->addLayout(top);
  column->addWidget(list_, 1);
  column->addLayout(bottom);
  column->addWidget(buttons);
  const QFontMetrics metrics(font());
  resize(metrics.averageCharWidth() * width_characters, metrics.lineSpacing() * height_lines);

  connect(up, &QToolButton::clicked, this, [this] { go(parent_folder_); });
  connect(home, &QPushButton::clicked, this, [this] { go({}); });
  connect(all_, &QCheckBox::toggled, this, [this] { go(folder_); });
  connect(list_, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* item) { choose(item); });
  connect(buttons, &QDialogButtonBox::accepted, this, &OpenDialog::accept_typed);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(list_, &QTreeWidget::currentItemChanged, this, [this](const QTreeWidgetItem* item) {
    if (item) where_->setText(item->data(0, Qt::UserRole).toString());
  });
  go(start);
  list_->setFocus();
}

void OpenDialog::go(const QString& folder) {
  note_->setText(QStringLiteral("Reading…"));
  engine_->call(
      QStringLiteral("files/list"), {{"path", folder.toStdString()}}, this, [this](const json& result) { show_folder(listing_of(result)); },
      [this](const EngineError& error) { note_->setText(error.message); });
}

void OpenDialog::show_folder(const Listing& listing) {
  folder_ = listing.path;
  parent_folder_ = listing.parent;
  where_->setText(folder_);
  list_->clear();
  int hidden = 0;
  for (const Listing::Entry& entry : listing.entries) {
    const bool wanted = entry.kind == QLatin1String("dir") ? !entry.name.startsWith(u'.') : is_session(entry.name) || is_model(entry.name);
    if (!wanted && !all_->isChecked()) {
      ++hidden;
      continue;
    }
    const bool is_dir = entry.kind == QLatin1String("dir");
    const QString date = QDateTime::fromString(entry.modified, Qt::ISODate).toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm"));
    auto* item = new QTreeWidgetItem(list_, {entry.name, is_dir ? QString() : bytes_text(entry.bytes), date});
    item->setIcon(0, icon(icon_of(entry)));
    item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
    item->setData(0, Qt::UserRole, joined(folder_, entry.name));
    item->setData(0, Qt::UserRole + 1, is_dir);
  }
  list_->resizeColumnToContents(1);
  list_->resizeColumnToContents(2);
  note_->setText(list_->topLevelItemCount() == 0 ? QStringLiteral("No sessions (.kwr) or models (.py, .pt2, .pt) here.")
                 : hidden               ? QStringLiteral("%1 other files are hidden.").arg(hidden)
                                        : QString());
}

void OpenDialog::choose(const QTreeWidgetItem* item) {
  const QString path = item->data(0, Qt::UserRole).toString();
  if (item->data(0, Qt::UserRole + 1).toBool()) return go(path);
  path_ = path;
  accept();
}

void OpenDialog::accept_typed() {
  if (list_->hasFocus() && list_->currentItem()) return choose(list_->currentItem());
  const QString typed = where_->text().trimmed();
  if (!is_session(typed) && !is_model(typed)) return go(typed);
  path_ = typed;
  accept();
}

}  // namespace kw::ui
