#pragma once
// A table or tree as all docks have it: sorted by its headers, copied as TSV and Markdown, its columns shown or hidden and remembered
// under its name, what was open and selected kept when the model is filled again. Status cells are drawn with their glyph and colour.

#include <QSet>
#include <QTreeView>

namespace kw::ui {

class TableView : public QTreeView {
  Q_OBJECT

 public:
  // `name`: under which the columns are remembered. `title`: what a screen reader says.
  TableView(const QString& name, const QString& title, QWidget* parent = nullptr);
  ~TableView() override;

  void setModel(QAbstractItemModel* model) override;   // wrapped in a sorting proxy unless it is one
  void fit_columns();                           // once, when the first rows are there
  void hide_at_first(const QList<int>& columns);
  QString selected_as_tsv() const;
  QString selected_as_markdown() const;
  void select_key(const QString& key);

 signals:
  void row_chosen(const QModelIndex& index);    // by mouse or keyboard, of the model that the view has
  void row_opened(const QModelIndex& index);    // double click or Enter

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QList<QList<QString>> selected_cells() const; // the first row: titles
  void remember();
  void restore();
  void choose_columns(const QPoint& at);

  QString name_;
  QSet<QString> open_keys_;
  QString current_key_;
  bool fitted_ = false, restoring_ = false;
};

QString as_tsv(const QList<QList<QString>>& cells);
QString as_markdown(const QList<QList<QString>>& cells);

}  // namespace kw::ui
