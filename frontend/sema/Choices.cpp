// Names that are bound under conditions: which binding counts. A condition is evaluated as other
// host code is; whether an import succeeds follows from the files that are there and from the
// language. An import of something else that is not there is assumed to fail, as it does in Python,
// and a note says so: it may be installed where the kernel is used.
#include "frontend/lang/OlderForms.h"
#include "frontend/sema/Evaluator.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilerun::sema {

/// Modules of Triton besides those of the language, which kernels' files import for host code.
static bool isHostModuleOfTriton(llvm::StringRef path) {
  return llvm::StringSwitch<bool>(path)
      .Cases({"triton", "triton.testing", "triton.runtime", "triton.runtime.jit"}, true)
      .Cases({"triton.runtime.autotuner", "triton.runtime.driver", "triton.runtime.cache"}, true)
      .Cases({"triton.runtime.errors", "triton.runtime.interpreter", "triton.compiler"}, true)
      .Cases({"triton.compiler.compiler", "triton.compiler.errors", "triton.knobs"}, true)
      .Cases({"triton.tools", "triton.tools.tensor_descriptor", "triton.tools.mxfp"}, true)
      .Cases({"triton.backends", "triton.backends.compiler", "triton.errors"}, true)
      .Default(false);
}

std::optional<bool> Evaluator::succeeds(const TriedImport &import) {
  using Kind = TriedImport::Kind;
  switch (import.kind) {
  case Kind::File:
  case Kind::Standard:
    return true;
  case Kind::FromFile:
    if (lookupGlobal(*import.module, import.name))
      return true;
    return import.module->starImportPaths.empty() ? std::optional<bool>(false) : std::nullopt;
  case Kind::Language: {
    auto isModule = [&](const llvm::Twine &path) {
      const std::string text = path.str();
      return isHostModuleOfTriton(text) || !lang::listNames(text, prelude).empty();
    };
    if (import.name.empty())
      return isModule(import.path);
    if (isModule(import.path + "." + import.name))
      return true;
    if (lang::findOlderName(import.path, import.name))
      return false;
    if (lang::lookup(import.path, import.name, prelude))
      return true;
    // The names of host modules are not known here.
    return isHostModuleOfTriton(import.path) ? std::nullopt : std::optional<bool>(false);
  }
  case Kind::Absent:
  case Kind::Foreign:
    return false;
  case Kind::Unknown:
    return std::nullopt;
  }
  llvm_unreachable("all kinds are handled");
}

std::optional<bool> Evaluator::holds(LoadedModule &module, const Guard &guard,
                                     const TriedImport *&assumed) {
  if (guard.condition) {
    Value value = evaluateGlobal(module, "", *guard.condition, guard.condition->range);
    std::optional<bool> truth = value.asUnknown() ? std::nullopt : getTruth(value);
    return truth ? std::optional<bool>(*truth == guard.wanted) : std::nullopt;
  }
  const TryBody &body = *guard.tried;
  // A handler sees all imports of its block.
  const size_t count = guard.wanted ? guard.imports : body.imports.size();
  for (const TriedImport &import : llvm::ArrayRef(body.imports).take_front(count)) {
    std::optional<bool> outcome = succeeds(import);
    if (!outcome)
      return std::nullopt;
    if (*outcome)
      continue;
    if (import.kind == TriedImport::Kind::Foreign && !assumed)
      assumed = &import;
    return !guard.wanted;
  }
  if (guard.wanted)
    return true;
  return body.mayRaise ? std::nullopt : std::optional<bool>(false);
}

std::optional<bool> Evaluator::isBoundBy(LoadedModule &module, const Global &binding,
                                         const TriedImport *&assumed) {
  bool isKnown = !binding.isOpen;
  for (const Guard &guard : binding.guards) {
    const TriedImport *missing = nullptr;
    std::optional<bool> outcome = holds(module, guard, missing);
    isKnown &= outcome.has_value();
    if (missing && !assumed)
      assumed = missing;
    if (outcome == false)
      return false;
  }
  return isKnown ? std::optional<bool>(true) : std::nullopt;
}

std::optional<const Global *> Evaluator::chooseBinding(LoadedModule &module, const Global &global,
                                                       const TriedImport *&assumed) {
  if (module.isProvided || (global.choices.empty() && global.guards.empty()))
    return std::nullopt;
  auto choices = global.choices.empty() ? llvm::ArrayRef(global) : llvm::ArrayRef(global.choices);
  for (const Global &choice : llvm::reverse(choices)) {
    std::optional<bool> isBound = isBoundBy(module, choice, assumed);
    if (!isBound)
      break;
    if (*isBound)
      return &choice;
  }
  assumed = nullptr;
  return std::nullopt;
}

void Evaluator::noteAssumption(LoadedModule &module, llvm::StringRef name, const Global &global,
                               const Global &binding, const TriedImport &import) {
  assumes = true;
  const SourceManager &sources = diagnostics.getSources();
  std::string what = import.name.empty() ? import.path : import.path + "." + import.name;
  std::string text = "'" + what + "' was not found: it was looked for " + import.searched +
                     "; so '" + name.str() + "' is as in line " +
                     std::to_string(sources.getLineColumn(binding.range.begin).line);
  // Only constants can be given.
  if (llvm::any_of(global.choices, [](const Global &g) { return g.kind == Global::Kind::Value; }))
    text += "; " + name.str() + "=… gives another value";
  pendingNotes.try_emplace((llvm::Twine(module.file) + " " + name).str(),
                           PendingNote{binding.range, text});
}

void Evaluator::reportNotes() {
  std::vector<const PendingNote *> notes;
  notes.reserve(pendingNotes.size());
  for (const auto &[key, note] : pendingNotes)
    notes.push_back(&note);
  auto place = [](const PendingNote *note) {
    return std::tuple(note->range.begin.file, note->range.begin.offset,
                      llvm::StringRef(note->text));
  };
  llvm::sort(notes, [&](auto *a, auto *b) { return place(a) < place(b); });
  for (const PendingNote *note : notes)
    note->isOlderForm &&ops.strict ? diagnostics.error(note->range, note->text)
                                   : diagnostics.note(note->range, note->text);
}

} // namespace tilerun::sema
