/** The fix that silences a diagnostic with a comment. */

import type { YamlSource } from "../../source/yamlSource.ts";
import type { Diagnosis } from "../diagnostics/diagnose.ts";
import { indentAt, isFirstInLine, lineStart, newlineOf } from "../text/yamlPairs.ts";
import type { Fix } from "./fix.ts";

/** Null where a comment is not possible, or has no effect. */
export function ignoreFix(source: YamlSource, diagnosis: Diagnosis): Fix | null {
  const { severity, code, span } = diagnosis;
  const isAdvice = severity === "warning" || severity === "info";
  if (!isAdvice || source.language === "json" || code === "TRL500") return null;
  const { text } = source;
  const start = lineStart(text, span.start);
  const firstWord = start + (/^[ \t]*/.exec(text.slice(start))?.[0].length ?? 0);
  if (!isFirstInLine(text, firstWord)) return null;
  const comment = `${indentAt(text, firstWord)}# tinker-rl-ignore ${code}${newlineOf(text)}`;
  return {
    title: `Ignore ${code} here`,
    isPreferred: false,
    edits: [{ span: { start, end: start }, text: comment }],
    command: null,
    diagnosis,
  };
}
