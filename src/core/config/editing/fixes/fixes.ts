/** Quick fixes: the remedies of the diagnostics at a position, as edits. */

import { checkText } from "../../check.ts";
import type { KeyPath } from "../../source/keyPath.ts";
import type { RuleCode } from "../../source/problem.ts";
import type { Remedy, RemedyCommand } from "../../source/remedy.ts";
import type { Span } from "../../source/span.ts";
import type { YamlSource } from "../../source/yamlSource.ts";
import { type DiagnoseOptions, type Diagnosis, diagnoseChecked } from "../diagnostics/diagnose.ts";
import type { TextEdit } from "../text/textEdit.ts";
import { indentAt, lineStart, newlineOf } from "../text/yamlPairs.ts";
import { remedyEdits } from "./remedyEdits.ts";

/** More fixes than these at one place are not worth a menu. */
const MAX_TRIES = 20;
/** Each fix is tried on the whole text, so a long text gets fixes for fewer diagnostics at a time. */
const MAX_TRIED_CHARACTERS = 25_000;

/** The fixes for the diagnostics that touch `range`. */
export function fixesAt(text: string, range: Span, options: DiagnoseOptions): readonly Fix[] {
  const checked = checkText(text, options);
  let triesLeft = Math.ceil(Math.min(MAX_TRIES, MAX_TRIED_CHARACTERS / Math.max(1, text.length)));
  const fixes: Fix[] = [];
  for (const diagnosis of diagnoseChecked(checked, options)) {
    const { span, remedies } = diagnosis;
    if (span.start > range.end || range.start > span.end) continue;
    if (triesLeft <= 0) break;
    triesLeft -= Math.max(1, remedies.length);
    fixes.push(...fixesFor(checked.source, diagnosis));
  }
  return fixes;
}

/** The fixes for one diagnostic. */
function fixesFor(source: YamlSource, diagnosis: Diagnosis): readonly Fix[] {
  const fixes = diagnosis.remedies.flatMap((remedy) => fixOf(source, diagnosis, remedy));
  const ignore = ignoreFix(source, diagnosis);
  return ignore === null ? fixes : [...fixes, ignore];
}

/** Applied to a whole file at once: hints about notation, and keys with a new name. */
const SAFE_CODES: ReadonlySet<RuleCode> = new Set(["TRL123", "TRL125"]);

/** The edits of `source.fixAll.tinkerRL`: all that cannot change what the file means. */
export function fixAll(text: string, options: DiagnoseOptions): readonly TextEdit[] {
  const checked = checkText(text, options);
  const edits: TextEdit[] = [];
  for (const { code, remedies } of diagnoseChecked(checked, options)) {
    const remedy = SAFE_CODES.has(code) ? remedies.find(({ isSafe }) => isSafe) : undefined;
    if (remedy !== undefined) edits.push(...(remedyEdits(checked.source, remedy) ?? []));
  }
  return edits;
}

function fixOf(source: YamlSource, diagnosis: Diagnosis, remedy: Remedy): readonly Fix[] {
  const edits = remedyEdits(source, remedy);
  if (edits === null) return [];
  const { title, isPreferred = false } = remedy;
  const command = remedy.kind === "command" ? { name: remedy.command, path: remedy.path } : null;
  return [{ title, isPreferred, edits, command, diagnosis }];
}

export interface Fix {
  readonly title: string;
  readonly isPreferred: boolean;
  readonly edits: readonly TextEdit[];
  /** What an editor alone can do, instead of edits; `path` is what it is about. */
  readonly command: { readonly name: RemedyCommand; readonly path: KeyPath } | null;
  readonly diagnosis: Diagnosis;
}

/** Null where a comment is not possible, or has no effect. */
function ignoreFix(source: YamlSource, diagnosis: Diagnosis): Fix | null {
  const { severity, code, span, override } = diagnosis;
  const isAdvice = severity === "warning" || severity === "info";
  const isInText = source.language === "yaml" && override === undefined;
  if (!isAdvice || !isInText || code === "TRL500") return null;
  const { text } = source;
  const start = lineStart(text, span.start);
  const firstWord = start + (/^[ \t]*/.exec(text.slice(start))?.[0].length ?? 0);
  const comment = `${indentAt(text, firstWord)}# tinker-rl-ignore ${code}${newlineOf(text)}`;
  return {
    title: `Ignore ${code} here`,
    isPreferred: false,
    edits: [{ span: { start, end: start }, text: comment }],
    command: null,
    diagnosis,
  };
}
