// See ExplainPage.h. A marked line has a bar at its left besides its colour, and can be reached and
// kept by the keyboard.
#include "tools/tilerun/picture/ExplainPage.h"

#include "tools/tilerun/picture/Page.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::picture;

static constexpr const char *kStyle = R"(<style>
#levels{display:flex;gap:12px;align-items:stretch;height:72vh;overflow-x:auto}
#levels section{flex:1 0 30em;min-width:20em;display:flex;flex-direction:column;border:1px solid #888}
#levels section[hidden]{display:none}
#levels h2{font-size:14px;margin:0;padding:6px 8px;border-bottom:1px solid #888}
#levels h2 small{font-weight:normal}
.code{overflow:auto;flex:1;font:12px/1.5 ui-monospace,monospace;tab-size:4;position:relative}
.code div{white-space:pre;padding:0 8px;border-left:4px solid transparent;min-width:max-content}
.code div[data-l]{cursor:pointer}
.code div.on{background:#fff1b8;border-left-color:#a34700}
.code div.kept{outline:1px solid #a34700;outline-offset:-1px}
.code .number{display:inline-block;width:3.5em;color:#555;user-select:none}
.code .note{color:#7a3500;white-space:pre-wrap;min-width:0}
.passes{margin-left:1.5em}.diff{overflow-x:auto;white-space:pre}
.diff .add{background:#dff5e1}.diff .del{background:#fbe3e3}.diff .gap{color:#555}
label{margin-right:14px;white-space:nowrap}
@media(prefers-color-scheme:dark){
.code div.on{background:#4a3a10;border-left-color:#ffab66}.code div.kept{outline-color:#ffab66}
.diff .add{background:#17351d}.diff .del{background:#4a1c1c}.diff .gap{color:#aaa}
.code .number{color:#aaa}.code .note{color:#ffbf8a}}
</style>
)";

// Marks what comes from the same lines as the line at the pointer, and scrolls each other level to
// the first of it. A click or the enter key keeps it until the next.
static constexpr const char *kScript = R"(<script>
(function(){
const all=[...document.querySelectorAll('.code div[data-l]')];
const lines=e=>e.dataset.l.split(' ');
let kept=null;
function mark(from){
 const wanted=new Set(from?lines(from):[]);
 for(const e of all)e.classList.toggle('on',lines(e).some(l=>wanted.has(l)));
 if(!from)return;
 for(const code of document.querySelectorAll('.code')){
  if(code.contains(from))continue;
  const first=code.querySelector('div.on');
  if(!first)continue;
  const top=first.offsetTop,bottom=top+first.offsetHeight;
  if(top<code.scrollTop||bottom>code.scrollTop+code.clientHeight)code.scrollTop=Math.max(0,top-code.clientHeight/3);
 }
}
function keep(e){
 if(kept)kept.classList.remove('kept');
 kept=kept===e?null:e;
 if(kept)kept.classList.add('kept');
 mark(kept||e);
}
for(const e of all){
 e.tabIndex=-1;
 e.addEventListener('mouseenter',()=>{if(!kept)mark(e)});
 e.addEventListener('focus',()=>{if(!kept)mark(e)});
 e.addEventListener('click',()=>keep(e));
 e.addEventListener('keydown',k=>{
  if(k.key==='Enter')keep(e);
  const own=all.filter(o=>o.parentNode===e.parentNode),at=own.indexOf(e);
  const next=k.key==='ArrowDown'?own[at+1]:k.key==='ArrowUp'?own[at-1]:null;
  if(next){next.focus();k.preventDefault()}
 });
}
for(const code of document.querySelectorAll('.code')){const first=code.querySelector('div[data-l]');if(first)first.tabIndex=0}
for(const box of document.querySelectorAll('input[data-level]'))
 box.addEventListener('change',()=>{document.getElementById(box.dataset.level).hidden=!box.checked});
})();
</script>
)";

static std::string formatSources(llvm::ArrayRef<unsigned> sources) {
  return llvm::join(llvm::map_range(sources, [](unsigned line) { return std::to_string(line); }),
                    " ");
}

static void writeNotes(llvm::raw_ostream &os, llvm::ArrayRef<Explanation::Note> notes,
                       unsigned line) {
  for (const Explanation::Note &note : notes)
    if (note.line == line)
      os << "<div class=\"note\">remark " << escape(note.name) << ": " << escape(note.text)
         << "</div>\n";
}

static void writeLevel(llvm::raw_ostream &os, const Explanation &explanation, size_t index) {
  const Explanation::Level &level = explanation.levels[index];
  os << "<section id=\"level" << index << "\"" << (level.isShown ? "" : " hidden") << ">\n<h2>"
     << escape(level.name) << " <small>" << escape(level.description)
     << "</small></h2>\n<div class=\"code\">\n";
  for (auto [i, line] : llvm::enumerate(level.lines)) {
    os << "<div";
    if (!line.sources.empty())
      os << " data-l=\"" << formatSources(line.sources) << "\"";
    os << ">";
    const unsigned number = level.firstLine ? level.firstLine + unsigned(i) : 0;
    if (number)
      os << "<span class=\"number\">" << number << "</span>";
    // An empty line has its height, too.
    os << (line.text.empty() ? " " : escape(line.text)) << "</div>\n";
    if (number)
      writeNotes(os, explanation.notes, number);
  }
  os << "</div>\n</section>\n";
}

/// A line begins with its sign, so that no colour is needed.
static void writeChange(llvm::raw_ostream &os, const Explanation::Change &change) {
  if (change.lines.empty()) {
    os << "<p>" << escape(change.pass) << ": nothing</p>\n";
    return;
  }
  os << llvm::formatv("<details>\n<summary>{0}: {1} lines added, {2} removed</summary>\n<pre "
                      "class=\"diff\">",
                      escape(change.pass), change.added, change.removed);
  for (const host::DiffLine &line : change.lines) {
    const llvm::StringRef style = line.kind == '+'   ? "add"
                                  : line.kind == '-' ? "del"
                                  : line.kind == '@' ? "gap"
                                                     : "";
    const std::string text = line.kind == '@' ? "…" : escape(line.kind + line.text);
    if (style.empty())
      os << text << "\n";
    else
      os << "<span class=\"" << style << "\">" << text << "</span>\n";
  }
  os << "</pre>\n</details>\n";
}

static void writeChanges(llvm::raw_ostream &os, llvm::ArrayRef<Explanation::Change> changes) {
  if (changes.empty())
    return;
  os << "<details>\n<summary>what each pass changed</summary>\n<div class=\"passes\">\n<p>Lines "
        "that "
        "differ in the numbers of values alone count as equal.</p>\n";
  for (const Explanation::Change &change : changes)
    writeChange(os, change);
  os << "</div>\n</details>\n";
}

void picture::writeHtml(llvm::raw_ostream &os, const Explanation &explanation) {
  std::string body;
  llvm::raw_string_ostream out(body);
  out << kStyle << "<p>";
  for (const std::string &fact : explanation.facts)
    out << escape(fact) << "<br/>\n";
  out << "</p>\n";
  for (const Explanation::Picture &shown : explanation.pictures)
    out << "<details>\n<summary>" << escape(shown.title) << "</summary>\n<div class=\"scroll\">\n"
        << shown.svg << "</div>\n</details>\n";
  writeChanges(out, explanation.changes);
  out << "<p>Pointing at a line marks what comes from the same line of the source; a click "
         "keeps it.</p>\n<p>\n";
  for (auto [i, level] : llvm::enumerate(explanation.levels))
    out << llvm::formatv("<label><input type=\"checkbox\" data-level=\"level{0}\"{1}/> {2}"
                         "</label>\n",
                         i, level.isShown ? " checked=\"\"" : "", escape(level.name));
  out << "</p>\n<div id=\"levels\">\n";
  for (size_t i = 0; i < explanation.levels.size(); ++i)
    writeLevel(out, explanation, i);
  out << "</div>\n<div class=\"code\">\n";
  // Remarks of lines that are not shown.
  const Explanation::Level &source = explanation.levels.front();
  for (const Explanation::Note &note : explanation.notes)
    if (note.line < source.firstLine || note.line >= source.firstLine + source.lines.size())
      out << "<div class=\"note\">remark " << escape(note.name) << ": " << escape(note.text)
          << "</div>\n";
  out << "</div>\n" << kScript;
  writePage(os, explanation.title, body);
}
