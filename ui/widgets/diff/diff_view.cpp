#include "ui/widgets/diff/diff_view.h"

#include <algorithm>

#include <QFontDatabase>
#include <QLabel>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <Qsci/qscilexercpp.h>
#include <Qsci/qsciscintilla.h>

#include "ui/widgets/palette.h"

namespace kw::ui {
namespace {

constexpr int numbers = 0, current_bar = 1;                                 // margins
enum Marker { added_line = 1, removed_line, filler_line, current_line };    // of QScintilla
enum Indicator { added_word = 9, removed_word };
enum MarginStyle { plain_margin = 40 };

// Token colours on either background.
struct TokenColor { int style; QColor light, dark; };
const std::vector<TokenColor> token_colors = {
    {QsciLexerCPP::Comment, {0x5f, 0x6b, 0x5f}, {0x8a, 0x9a, 0x8a}},
    {QsciLexerCPP::CommentLine, {0x5f, 0x6b, 0x5f}, {0x8a, 0x9a, 0x8a}},
    {QsciLexerCPP::Number, {0x8a, 0x3f, 0x00}, {0xe8, 0xa8, 0x6a}},
    {QsciLexerCPP::Keyword, {0x1a, 0x4f, 0xb0}, {0x7f, 0xb2, 0xff}},
    {QsciLexerCPP::KeywordSet2, {0x6b, 0x2f, 0x9e}, {0xc0, 0x9a, 0xf5}},
    {QsciLexerCPP::DoubleQuotedString, {0x0a, 0x70, 0x50}, {0x6f, 0xcf, 0xa5}},
    {QsciLexerCPP::PreProcessor, {0x7a, 0x3d, 0x86}, {0xd0, 0x9a, 0xdb}},
};

QLabel* title_label() {
  auto* label = new QLabel;
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  label->setContentsMargins(8, 4, 8, 4);
  return label;
}

QWidget* under_title(QLabel* label, QWidget* widget) {
  auto* box = new QWidget;
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(label);
  column->addWidget(widget, 1);
  return box;
}

// The byte at which QChar `index` of `line` stands in UTF-8.
int bytes_before(const QString& line, int index) { return static_cast<int>(line.left(index).toUtf8().size()); }

void mark_words(QsciScintilla* editor, int screen_line, const QString& line, const std::vector<WordRange>& words, int indicator) {
  const long start = editor->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<unsigned long>(screen_line));
  editor->SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT, static_cast<unsigned long>(indicator));
  for (const WordRange& word : words) {
    const int from = bytes_before(line, word.begin), to = bytes_before(line, word.begin + word.length);
    editor->SendScintilla(QsciScintilla::SCI_INDICATORFILLRANGE, static_cast<unsigned long>(start + from), static_cast<long>(to - from));
  }
}

void set_margin(QsciScintilla* editor, int line, const QString& text) { editor->setMarginText(line, text, plain_margin); }

}  // namespace

DiffView::DiffView(QWidget* parent) : QWidget(parent), pages_(new QStackedWidget) {
  left_label_ = title_label();
  right_label_ = title_label();
  unified_label_ = title_label();
  left_ = make_editor(tr("Before"));
  right_ = make_editor(tr("After"));
  unified_editor_ = make_editor(tr("Difference"));
  auto* sides = new QSplitter;
  sides->addWidget(under_title(left_label_, left_));
  sides->addWidget(under_title(right_label_, right_));
  sides->setChildrenCollapsible(false);
  message_ = new QLabel;
  message_->setAlignment(Qt::AlignCenter);
  message_->setWordWrap(true);
  message_->setMargin(24);
  pages_->addWidget(message_);
  pages_->addWidget(sides);
  pages_->addWidget(under_title(unified_label_, unified_editor_));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(pages_);
  follow(left_, right_);
  follow(right_, left_);
  take_colors();
}

QsciScintilla* DiffView::make_editor(const QString& name) {
  auto* editor = new QsciScintilla;
  editor->setAccessibleName(name);
  editor->setUtf8(true);
  editor->setReadOnly(true);
  editor->setFrameShape(QFrame::NoFrame);
  editor->setLexer(new QsciLexerCPP(editor));
  editor->setFolding(QsciScintilla::NoFoldStyle);
  editor->setTabWidth(2);
  editor->setMarginType(numbers, QsciScintilla::TextMargin);
  editor->setMarginType(current_bar, QsciScintilla::SymbolMargin);
  editor->setMarginWidth(current_bar, 5);
  editor->setMarginMarkerMask(numbers, 0);
  editor->setMarginMarkerMask(current_bar, 1 << current_line);
  editor->setCaretLineVisible(false);
  editor->SendScintilla(QsciScintilla::SCI_SETSCROLLWIDTHTRACKING, 1UL);
  editor->SendScintilla(QsciScintilla::SCI_SETSCROLLWIDTH, 1UL);
  for (const int marker : {added_line, removed_line, filler_line}) editor->markerDefine(QsciScintilla::Background, marker);
  editor->markerDefine(QsciScintilla::FullRectangle, current_line);
  for (const int indicator : {added_word, removed_word}) {
    editor->indicatorDefine(QsciScintilla::StraightBoxIndicator, indicator);
    editor->setIndicatorDrawUnder(true, indicator);
    editor->SendScintilla(QsciScintilla::SCI_INDICSETALPHA, static_cast<unsigned long>(indicator), 255L);
    editor->SendScintilla(QsciScintilla::SCI_INDICSETOUTLINEALPHA, static_cast<unsigned long>(indicator), 255L);
  }
  return editor;
}

void DiffView::follow(QsciScintilla* from, QsciScintilla* to) {
  for (const bool vertical : {true, false}) {
    QScrollBar* a = vertical ? from->verticalScrollBar() : from->horizontalScrollBar();
    QScrollBar* b = vertical ? to->verticalScrollBar() : to->horizontalScrollBar();
    connect(a, &QScrollBar::valueChanged, this, [this, b](int value) {
      if (following_) return;
      following_ = true;
      b->setValue(value);
      following_ = false;
    });
  }
}

void DiffView::set_texts(const QString& left_title, const QString& left, const QString& right_title, const QString& right) {
  left_title_ = left_title;
  right_title_ = right_title;
  diff_ = line_diff(left, right);
  current_ = -1;
  fill();
  if (!diff_.changes.empty()) go_to(0);
  else Q_EMIT current_changed(-1, 0);
}

void DiffView::set_message(const QString& text) {
  diff_ = {};
  current_ = -1;
  message_->setText(text);
  pages_->setCurrentIndex(0);
  Q_EMIT current_changed(-1, 0);
}

void DiffView::set_unified(bool unified) {
  if (unified == unified_) return;
  unified_ = unified;
  if (pages_->currentIndex() == 0) return;
  fill();
  go_to(current_);
}

void DiffView::fill() {
  left_label_->setText(tr("%1   −%2").arg(left_title_).arg(diff_.removed));
  right_label_->setText(tr("%1   +%2").arg(right_title_).arg(diff_.added));
  unified_label_->setText(diff_.changes.empty() ? tr("%1 and %2 are the same").arg(left_title_, right_title_)
                                                : tr("%1 → %2   −%3 +%4").arg(left_title_, right_title_).arg(diff_.removed).arg(diff_.added));
  if (unified_) fill_unified();
  else {
    fill_side(left_, true);
    fill_side(right_, false);
  }
  take_colors();
  pages_->setCurrentIndex(unified_ ? 2 : 1);
}

void DiffView::fill_side(QsciScintilla* editor, bool left) {
  QStringList lines;
  const QStringList& source = left ? diff_.left : diff_.right;
  for (const DiffRow& row : diff_.rows) {
    const int line = left ? row.left : row.right;
    lines << (line < 0 ? QString() : source[line]);
  }
  editor->setText(lines.join('\n'));
  editor->markerDeleteAll();
  editor->clearMarginText();
  const auto digits = static_cast<int>(QString::number(std::max<qsizetype>(100, source.size())).size());
  for (int r = 0; r < static_cast<int>(diff_.rows.size()); ++r) {
    const DiffRow& row = diff_.rows[static_cast<std::size_t>(r)];
    const int line = left ? row.left : row.right;
    set_margin(editor, r, line < 0 ? QString() : QString::number(line + 1).rightJustified(digits + 1));
    if (row.kind == RowKind::same) continue;
    editor->markerAdd(r, line < 0 ? filler_line : left ? removed_line : added_line);
    if (line >= 0) mark_words(editor, r, source[line], left ? row.left_words : row.right_words, left ? removed_word : added_word);
  }
  editor->setMarginWidth(numbers, QString(digits + 2, '0'));
}

void DiffView::fill_unified() {
  const std::vector<UnifiedLine> lines = unified_lines(diff_);
  QStringList texts;
  unified_rows_.assign(diff_.rows.size(), 0);
  for (std::size_t n = lines.size(); n-- > 0;) unified_rows_[static_cast<std::size_t>(lines[n].row)] = static_cast<int>(n);
  for (const UnifiedLine& line : lines) texts << text_of(line);
  unified_editor_->setText(texts.join('\n'));
  unified_editor_->markerDeleteAll();
  unified_editor_->clearMarginText();
  const auto number = [](int line) { return (line < 0 ? QString() : QString::number(line + 1)).rightJustified(4); };
  for (int n = 0; n < static_cast<int>(lines.size()); ++n) {
    const UnifiedLine& line = lines[static_cast<std::size_t>(n)];
    const DiffRow& row = diff_.rows[static_cast<std::size_t>(line.row)];
    set_margin(unified_editor_, n, number(line.left) + ' ' + number(line.right) + (line.same() ? "  " : line.left >= 0 ? " −" : " +"));
    if (line.same()) continue;
    const bool left = line.left >= 0;
    unified_editor_->markerAdd(n, left ? removed_line : added_line);
    mark_words(unified_editor_, n, texts[n], left ? row.left_words : row.right_words, left ? removed_word : added_word);
  }
  unified_editor_->setMarginWidth(numbers, QStringLiteral(" 00000 00000 + "));
}

const QString& DiffView::text_of(const UnifiedLine& line) const { return line.left >= 0 ? diff_.left[line.left] : diff_.right[line.right]; }

QString DiffView::unified_text() const {
  QString out = "--- " + left_title_ + "\n+++ " + right_title_ + "\n";
  for (const UnifiedLine& line : unified_lines(diff_)) out += (line.same() ? ' ' : line.left >= 0 ? '-' : '+') + text_of(line) + '\n';
  return out;
}

int DiffView::row_on_screen(int row) const { return unified_ ? unified_rows_[static_cast<std::size_t>(row)] : row; }

void DiffView::go_to(int change) {
  if (change < 0 || change >= static_cast<int>(diff_.changes.size())) return;
  current_ = change;
  const int line = row_on_screen(diff_.changes[static_cast<std::size_t>(change)]);
  for (QsciScintilla* editor : unified_ ? std::vector{unified_editor_} : std::vector{left_, right_}) {
    editor->markerDeleteAll(current_line);
    editor->markerAdd(line, current_line);
    editor->setCursorPosition(line, 0);
    const long on_screen = editor->SendScintilla(QsciScintilla::SCI_LINESONSCREEN);
    editor->setFirstVisibleLine(std::max(0, line - static_cast<int>(on_screen) / 3));
  }
  Q_EMIT current_changed(current_, static_cast<int>(diff_.changes.size()));
}

void DiffView::take_colors() {
  const CanvasColors colors = canvas_colors(palette());
  const DiffColors marks = diff_colors(colors.dark);
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPointSizeF(this->font().pointSizeF());
  for (QsciScintilla* editor : {left_, right_, unified_editor_}) {
    QsciLexer* lexer = editor->lexer();
    lexer->setFont(font, -1);
    lexer->setDefaultFont(font);
    lexer->setPaper(colors.background, -1);
    lexer->setDefaultPaper(colors.background);
    lexer->setColor(colors.text, -1);
    for (const TokenColor& token : token_colors) lexer->setColor(colors.dark ? token.dark : token.light, token.style);
    editor->setColor(colors.text);
    editor->setPaper(colors.background);
    editor->setFont(font);
    editor->setMarginsFont(font);
    editor->setMarginsBackgroundColor(colors.card);
    editor->setMarginsForegroundColor(colors.faint_text);
    editor->SendScintilla(QsciScintilla::SCI_STYLESETFORE, static_cast<unsigned long>(plain_margin), colors.faint_text);
    editor->SendScintilla(QsciScintilla::SCI_STYLESETBACK, static_cast<unsigned long>(plain_margin), colors.card);
    editor->SendScintilla(QsciScintilla::SCI_STYLESETFONT, static_cast<unsigned long>(plain_margin), font.family().toUtf8().constData());
    editor->SendScintilla(QsciScintilla::SCI_STYLESETSIZE, static_cast<unsigned long>(plain_margin), static_cast<long>(font.pointSize()));
    editor->setCaretForegroundColor(colors.text);
    editor->setMarkerBackgroundColor(marks.added, added_line);
    editor->setMarkerBackgroundColor(marks.removed, removed_line);
    editor->setMarkerBackgroundColor(marks.filler, filler_line);
    editor->setMarkerBackgroundColor(colors.accent, current_line);
    editor->setIndicatorForegroundColor(marks.changed_word_added, added_word);
    editor->setIndicatorForegroundColor(marks.changed_word_removed, removed_word);
  }
}

void DiffView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) take_colors();
  QWidget::changeEvent(event);
}

}  // namespace kw::ui
