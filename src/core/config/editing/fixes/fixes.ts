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

/** A menu with more fixes than this is of no use. */
const MAX_TRIES = 20;
/** Each fix is tried on the whole text, so a longer text gets fixes for fewer diagnostics. */
const MAX_TRIED_CHARACTERS = 25_000;

/** The quick fixes for all diagnostics that overlap `range`. */
export function fixesAt(text: string, range: Span, options: DiagnoseOptions): readonly Fix[] {
  const checked = checkText(text, options);
  let triesLeft = Math.ceil(Math.min(MAX_TRIES, MAX_TRIED_CHARACTERS / Math.max(1, text.length)));
  const fixes: Fix[] = [];
  for (const diagnosis of diagnoseChecked(checked, options)) {
    const { span, remedies } = diagnosis;
    const isOutside = span.start > range.end || range.start > span.end;
    // A file without settings has its problem at every position.
    if (isOutside && checked.source.root !== null) continue;
    if (triesLeft <= 0) break;
    triesLeft -= Math.max(1, remedies.length);
    fixes.push(...fixesFor(checked.source, diagnosis));
  }
  return fixes;
}

/** The quick fixes for one diagnostic. */
function fixesFor(source: YamlSource, diagnosis: Diagnosis): readonly Fix[] {
  const fixes = diagnosis.remedies.flatMap((remedy) => fixOf(source, diagnosis, remedy));
  const ignore = ignoreFix(source, diagnosis);
  return ignore === null ? fixes : [...fixes, ignore];
}

/** Codes whose fixes are applied to a whole file at once: notation hints and renamed keys. */
const SAFE_CODES: ReadonlySet<RuleCode> = new Set(["TRL123", "TRL125"]);

/** The edits of `source.fixAll.tinkerRL`, none of which can change the meaning of the file. */
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
  /** What only the editor can do instead of edits; `path` is the key it is about. */
  readonly command: { readonly name: RemedyCommand; readonly path: KeyPath } | null;
  readonly diagnosis: Diagnosis;
}

/** Null where a comment is impossible or would have no effect. */
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
