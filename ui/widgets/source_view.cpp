#include "ui/widgets/source_view.h"

#include <Qsci/qscilexercpp.h>
#include <Qsci/qscilexerpython.h>

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/shell/theme.h"

namespace kw::ui {

namespace {

constexpr int line_margin = 0, fold_margin = 2, marker = 1;

class CudaLexer : public QsciLexerCPP {
 public:
  using QsciLexerCPP::QsciLexerCPP;
  const char* keywords(int set) const override {
    if (set != 2) return QsciLexerCPP::keywords(set);
    return "__global__ __device__ __host__ __shared__ __constant__ __restrict__ __launch_bounds__ __forceinline__ __syncthreads __syncwarp "
           "__shfl_sync __shfl_xor_sync __shfl_down_sync threadIdx blockIdx blockDim gridDim float2 float4 half half2 __half __half2 "
           "__nv_bfloat16 __nv_bfloat162 uint4 int4";
  }
};

QsciLexer* lexer_for(SourceView::Language language, QObject* parent) {
  switch (language) {
    case SourceView::Language::cpp:
    case SourceView::Language::cuda: return new CudaLexer(parent);
    case SourceView::Language::python: return new QsciLexerPython(parent);
    default: return nullptr;
  }
}

struct StyleTone { int style; Tone tone; };
constexpr StyleTone cpp_tones[] = {
    {QsciLexerCPP::Keyword, Tone::keyword}, {QsciLexerCPP::KeywordSet2, Tone::preprocessor}, {QsciLexerCPP::Comment, Tone::comment},
    {QsciLexerCPP::CommentLine, Tone::comment}, {QsciLexerCPP::CommentDoc, Tone::comment}, {QsciLexerCPP::CommentLineDoc, Tone::comment},
    {QsciLexerCPP::Number, Tone::number}, {QsciLexerCPP::DoubleQuotedString, Tone::literal}, {QsciLexerCPP::SingleQuotedString, Tone::literal},
    {QsciLexerCPP::PreProcessor, Tone::preprocessor},
};
constexpr StyleTone python_tones[] = {
    {QsciLexerPython::Keyword, Tone::keyword}, {QsciLexerPython::Comment, Tone::comment}, {QsciLexerPython::CommentBlock, Tone::comment},
    {QsciLexerPython::Number, Tone::number}, {QsciLexerPython::DoubleQuotedString, Tone::literal},
    {QsciLexerPython::SingleQuotedString, Tone::literal}, {QsciLexerPython::TripleDoubleQuotedString, Tone::literal},
    {QsciLexerPython::TripleSingleQuotedString, Tone::literal}, {QsciLexerPython::Decorator, Tone::preprocessor},
    {QsciLexerPython::ClassName, Tone::keyword}, {QsciLexerPython::FunctionMethodName, Tone::keyword},
};

template <std::size_t N>
void colour(QsciLexer* lexer, const StyleTone (&rows)[N]) {
  for (const StyleTone& row : rows) lexer->setColor(tone(row.tone), row.style);
}

}  // namespace

SourceView::SourceView(const QString& title, QWidget* parent) : QWidget(parent), editor_(new QsciScintilla), search_bar_(new QWidget), needle_(new QLineEdit) {
  editor_->setAccessibleName(title);
  editor_->setUtf8(true);
  editor_->setFrameShape(QFrame::NoFrame);
  editor_->setMarginType(line_margin, QsciScintilla::NumberMargin);
  editor_->setMarginWidth(1, 0);
  editor_->setFolding(QsciScintilla::PlainFoldStyle, fold_margin);
  editor_->setTabWidth(2);
  editor_->setIndentationsUseTabs(false);
  editor_->setAutoIndent(true);
  editor_->setBraceMatching(QsciScintilla::SloppyBraceMatch);
  editor_->setCaretLineVisible(true);
  editor_->SendScintilla(QsciScintilla::SCI_SETSCROLLWIDTHTRACKING, 1);
  editor_->SendScintilla(QsciScintilla::SCI_SETSCROLLWIDTH, 1);
  editor_->markerDefine(QsciScintilla::Background, marker);
  editor_->setReadOnly(true);
  setFocusProxy(editor_);

  needle_->setPlaceholderText(QStringLiteral("Find"));
  needle_->setAccessibleName(QStringLiteral("Find in source"));
  needle_->setClearButtonEnabled(true);
  auto* row = new QHBoxLayout(search_bar_);
  row->setContentsMargins(4, 4, 4, 4);
  row->addWidget(needle_);
  for (const bool forward : {false, true}) {
    auto* button = new QToolButton;
    button->setArrowType(forward ? Qt::DownArrow : Qt::UpArrow);
    button->setToolTip(forward ? QStringLiteral("Next (Enter)") : QStringLiteral("Previous (Shift+Enter)"));
    button->setAccessibleName(forward ? QStringLiteral("Find next") : QStringLiteral("Find previous"));
    connect(button, &QToolButton::clicked, this, [this, forward] { find(forward); });
    row->addWidget(button);
  }
  search_bar_->hide();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(search_bar_);
  column->addWidget(editor_);

  connect(needle_, &QLineEdit::returnPressed, this, [this] { find(true); });
  connect(editor_, &QsciScintilla::textChanged, this, [this] {
    if (!filling_) emit edited();
  });
  const auto add = [this](const QString& text, const QKeySequence& keys, auto act) {
    auto* action = new QAction(text, this);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(action, &QAction::triggered, this, act);
    addAction(action);
  };
  add(QStringLiteral("Find"), QKeySequence::Find, [this] {
    search_bar_->show();
    needle_->setFocus();
    needle_->selectAll();
  });
  add(QStringLiteral("Find next"), QKeySequence(Qt::Key_F3), [this] { find(true); });
  add(QStringLiteral("Find previous"), QKeySequence(Qt::SHIFT | Qt::Key_F3), [this] { find(false); });
  add(QStringLiteral("Close search"), QKeySequence(Qt::Key_Escape), [this] {
    search_bar_->hide();
    editor_->setFocus();
  });
  take_colours();
}

void SourceView::show_text(const QString& text, Language language) {
  filling_ = true;
  if (QsciLexer* old = editor_->lexer()) {
    editor_->setLexer(nullptr);
    old->deleteLater();
  }
  editor_->setLexer(lexer_for(language, editor_));
  editor_->markerDeleteAll(marker);
  editor_->setText(text);
  take_colours();
  editor_->setCursorPosition(0, 0);
  filling_ = false;
}

void SourceView::show_line(int line, int lines_above) {
  editor_->setCursorPosition(line, 0);
  editor_->SendScintilla(QsciScintilla::SCI_ENSUREVISIBLE, line);
  const auto row = editor_->SendScintilla(QsciScintilla::SCI_VISIBLEFROMDOCLINE, line);   // folded lines take no row
  editor_->SendScintilla(QsciScintilla::SCI_SETFIRSTVISIBLELINE, std::max(0, static_cast<int>(row) - lines_above));
}

void SourceView::begin_at(const QString& words) {
  const qsizetype at = editor_->text().indexOf(words);
  if (at < 0) return;
  const int line = static_cast<int>(editor_->text().left(at).count(u'\n'));
  editor_->SendScintilla(QsciScintilla::SCI_COLOURISE, 0, -1);          // folds are known once the text is styled
  for (int above = 0; above < line; ++above) {
    const auto level = editor_->SendScintilla(QsciScintilla::SCI_GETFOLDLEVEL, above);
    const bool outermost = (level & QsciScintilla::SC_FOLDLEVELNUMBERMASK) == QsciScintilla::SC_FOLDLEVELBASE;
    if (outermost && (level & QsciScintilla::SC_FOLDLEVELHEADERFLAG) != 0) editor_->SendScintilla(QsciScintilla::SCI_FOLDLINE, above, 0L);
  }
  show_line(line, 0);
}

void SourceView::set_editable(bool editable) { editor_->setReadOnly(!editable); }

void SourceView::mark_lines(const QList<int>& lines) {
  editor_->markerDeleteAll(marker);
  for (const int line : lines) editor_->markerAdd(line - 1, marker);
  if (!lines.isEmpty()) show_line(lines.first() - 1, 5);
}

void SourceView::take_colours() {
  const QFont font = fixed_font();
  const QColor paper = tone(Tone::base), ink = tone(Tone::text);
  editor_->setPaper(paper);
  editor_->setColor(ink);
  editor_->setFont(font);
  if (QsciLexer* lexer = editor_->lexer()) {
    lexer->setDefaultFont(font);
    lexer->setFont(font, -1);
    lexer->setPaper(paper, -1);
    lexer->setColor(ink, -1);
    lexer->setDefaultPaper(paper);
    if (qobject_cast<QsciLexerPython*>(lexer)) colour(lexer, python_tones);
    else colour(lexer, cpp_tones);
  }
  editor_->setCaretForegroundColor(ink);
  editor_->setCaretLineBackgroundColor(tone(Tone::current_line));
  editor_->setSelectionBackgroundColor(tone(Tone::selection));
  editor_->setSelectionForegroundColor(ink);
  editor_->setMarginsBackgroundColor(tone(Tone::stripe));
  editor_->setMarginsForegroundColor(tone(Tone::faint_text));
  editor_->setMarginsFont(font);
  editor_->setFoldMarginColors(tone(Tone::stripe), tone(Tone::stripe));
  editor_->setMarkerBackgroundColor(tone(Tone::marked), marker);
  editor_->setMatchedBraceBackgroundColor(tone(Tone::marked));
  editor_->setMatchedBraceForegroundColor(ink);
  for (int fold = QsciScintilla::SC_MARKNUM_FOLDEREND; fold <= static_cast<int>(QsciScintilla::SC_MARKNUM_FOLDEROPEN); ++fold) {
    editor_->setMarkerForegroundColor(tone(Tone::stripe), fold);
    editor_->setMarkerBackgroundColor(tone(Tone::faint_text), fold);
  }
  editor_->setMarginWidth(line_margin, QString::number(std::max(99, editor_->lines())) + u'0');
}

void SourceView::find(bool forward) {
  int line = 0, column = 0;
  editor_->getCursorPosition(&line, &column);
  if (!forward && editor_->hasSelectedText()) {
    int to_line = 0, to_column = 0;
    editor_->getSelection(&line, &column, &to_line, &to_column);
  }
  editor_->findFirst(needle_->text(), false, false, false, true, forward, line, column);
}

void SourceView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) take_colours();
  QWidget::changeEvent(event);
}

}  // namespace kw::ui
