/** Syntax errors of a configuration, in words that reveal none of its values. */

import { type Alias, type Document, type Node, visit, type YAMLError } from "yaml";
import type { Remedy } from "./remedy.ts";
import type { Span } from "./span.ts";
import { type StrayCharacters, strayCharacters } from "./strayCharacters.ts";
import type { ParsedText } from "./yamlDocument.ts";
import { ownEntries, spanOf } from "./yamlNodes.ts";

export interface SyntaxFault {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly span: Span;
  readonly remedies?: readonly Remedy[] | undefined;
}

const MESSAGES: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: "A configuration is a single document; remove the `---` line and what follows.",
  MULTILINE_IMPLICIT_KEY: "A key without a value: write `key: value`, or remove the line.",
  TAG_RESOLVE_FAILED: "Unknown type. If the value begins with `!`, put it in quotes.",
  TAB_AS_INDENT: "YAML does not allow tabs for indentation. Use spaces.",
};
const MAX_MESSAGE = 200;

/** More faults of one kind would not help. */
const MAX_FAULTS = 100;

interface FaultOptions {
  readonly language: "yaml" | "json";
  /** The node of each alias; null for an unresolved one. */
  readonly targets: ReadonlyMap<Alias, Node | null>;
}

/** All syntax faults of a text. */
export function syntaxFaults(
  text: string,
  { document, secondDocument, refusal }: ParsedText,
  { targets, language }: FaultOptions,
): readonly SyntaxFault[] {
  // Any other faults would only follow from these.
  const strays = strayCharacters(text, language, document?.contents ?? null);
  if (strays.length > 0) return strays.slice(0, MAX_FAULTS).map(strayFault);
  return [
    ...(refusal === null ? [] : [faultAt(text, refusal.message, refusal.offset)]),
    ...(secondDocument === null
      ? []
      : [faultAt(text, MESSAGES["MULTIPLE_DOCS"] ?? "", secondDocument)]),
    ...withoutRepeatedIndentFaults(document?.errors ?? [])
      .slice(0, MAX_FAULTS)
      .map((error) => faultOf(text, "error", error)),
    ...(document?.warnings ?? [])
      .slice(0, MAX_FAULTS)
      .map((warning) => faultOf(text, "warning", warning)),
    ...(document === null ? [] : duplicateKeys(text, document)),
    ...[...targets]
      .filter(([, target]) => target === null)
      .slice(0, MAX_FAULTS)
      .map(([alias]) => unresolvedAlias(text, alias)),
  ];
}

function strayFault({ span, message, meant }: StrayCharacters): SyntaxFault {
  const title = meant === "" ? "Remove the comments" : "Use ordinary spaces and colons";
  const remedies: readonly Remedy[] =
    meant === null ? [] : [{ kind: "replaceStrays", title, isPreferred: true }];
  return { severity: "error", message, span, remedies };
}

function faultAt(text: string, message: string, offset: number): SyntaxFault {
  const start = Math.min(offset, text.length);
  return { severity: "error", message, span: { start, end: Math.min(start + 1, text.length) } };
}

/** For a line indented too far, the parser reports two errors at the same position; keep the second, which knows the line. */
function withoutRepeatedIndentFaults(errors: readonly YAMLError[]): readonly YAMLError[] {
  return errors.filter(
    ({ code, pos }, index) =>
      code !== "BLOCK_AS_IMPLICIT_KEY" ||
      errors[index + 1]?.code !== "MULTILINE_IMPLICIT_KEY" ||
      errors[index + 1]?.pos[0] !== pos[0],
  );
}

const UNFINISHED_KEY: ReadonlySet<string> = new Set(["MISSING_CHAR", "MULTILINE_IMPLICIT_KEY"]);

/** A line such as `batch_size:16`, trimmed, and where its value starts; null when the error is about something else. */
function joinedPair(
  text: string,
  { code, pos: [from] }: YAMLError,
): { readonly span: Span; readonly value: number } | null {
  const [line = ""] = text.slice(from).split(/\r?\n/, 1);
  const key = /^[a-z_]+:(?=[^\s/:])/.exec(line)?.[0];
  if (!UNFINISHED_KEY.has(code) || key === undefined) return null;
  return {
    span: { start: from, end: from + line.trimEnd().length },
    value: from + key.length,
  };
}

/** The line with the wrong indentation, trimmed; null when the error is about something else. */
function misplacedLine(text: string, { code, pos, message }: YAMLError): Span | null {
  const [from, to] = pos;
  const isValueContinued =
    code === "MULTILINE_IMPLICIT_KEY" && /:[ \t]*$/.test(lineBefore(text, from));
  // Brackets with too little indentation have the same code.
  const isOffColumn = code === "BAD_INDENT" && message.includes("same column");
  if (!isOffColumn && !isValueContinued) return null;
  const start = text.lastIndexOf("\n", (isValueContinued ? to : from + 1) - 1) + 1;
  const end = text.indexOf("\n", start);
  const line = text.slice(start, end < 0 ? text.length : end);
  const lead = line.length - line.trimStart().length;
  return line.trim() === "" ? null : { start: start + lead, end: start + line.trimEnd().length };
}

function lineBefore(text: string, offset: number): string {
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
}

function faultOf(text: string, level: SyntaxFault["severity"], error: YAMLError): SyntaxFault {
  // A value with an unknown tag is not used, and must not be taken for a secret.
  const severity = error.code === "TAG_RESOLVE_FAILED" ? "error" : level;
  const joined = joinedPair(text, error);
  if (joined !== null) {
    const title = "Add a space after the colon";
    const remedy: Remedy = { kind: "space", offset: joined.value, title, isPreferred: true };
    const message = "A key ends with a colon and a space.";
    return { severity, message, span: joined.span, remedies: [remedy] };
  }
  const line = misplacedLine(text, error);
  if (line !== null) {
    const message =
      "This line is not indented like the other keys of its mapping. Align it with them.";
    const title = "Correct the indentation";
    const align: Remedy = { kind: "align", offset: line.start, title, isPreferred: true };
    return { severity, message, span: line, remedies: [align] };
  }
  const start = Math.min(error.pos[0], text.length);
  const end = Math.max(start, Math.min(error.pos[1], text.length));
  const remedies: readonly Remedy[] =
    error.code === "TAB_AS_INDENT"
      ? [{ kind: "spaces", title: "Indent with spaces", isPreferred: true }]
      : [];
  // The parser quotes the unexpected text, which may be a secret.
  const words = error.message.replace(/: .*$/s, "").slice(0, MAX_MESSAGE);
  const message = MESSAGES[error.code] ?? `${words}.`;
  return {
    severity,
    message,
    span: { start, end },
    remedies: remedies.length > 0 ? remedies : undefined,
  };
}

function duplicateKeys(text: string, document: Document.Parsed): readonly SyntaxFault[] {
  const found: SyntaxFault[] = [];
  visit(document, {
    Map: (_key, map) => {
      const first = new Map<string, Node | null>();
      for (const { key, keyNode } of ownEntries(text, map)) {
        const before = first.get(key);
        const span = keyNode === null ? null : spanOf(text, keyNode);
        if (span !== null && before !== undefined) found.push(duplicate(key, span, before));
        if (before === undefined) first.set(key, keyNode);
        if (found.length >= MAX_FAULTS) return visit.BREAK;
      }
      return undefined;
    },
  });
  return found;
}

function duplicate(key: string, span: Span, first: Node | null): SyntaxFault {
  const firstStart = first?.range?.[0];
  return {
    severity: "error",
    message: `The key \`${key}\` is already set above; keep one of the two.`,
    span,
    remedies: [
      { kind: "removePairAt", title: "Keep the first", offset: span.start },
      ...(firstStart === undefined
        ? []
        : [{ kind: "removePairAt", title: "Keep the last", offset: firstStart } as const]),
    ],
  };
}

function unresolvedAlias(text: string, alias: Alias): SyntaxFault {
  // The alias's name is not shown, because it may be a secret that starts with a star.
  const message =
    "No anchor precedes this alias. Write the value out, in quotes if it begins with `*`.";
  return { severity: "error", message, span: spanOf(text, alias) ?? { start: 0, end: 0 } };
}
