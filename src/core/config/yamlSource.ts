/** The text of a configuration as YAML nodes with their positions, without any meaning. */

import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  visit,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import type { Remedy } from "./remedy.ts";
import type { Position, Span } from "./span.ts";
import { parseYamlText } from "./yamlDocument.ts";

export interface SyntaxFault {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly span: Span;
  readonly remedies?: readonly Remedy[];
}

/** One `key: value` of a mapping; merged ones (`<<`) keep the nodes of where they were written. */
export interface Entry {
  readonly key: string;
  readonly keyNode: Node | null;
  readonly value: Node | null;
}

export interface YamlSource {
  readonly text: string;
  readonly language: Language;
  readonly root: Node | null;
  readonly faults: readonly SyntaxFault[];
  /** The node that an alias stands for, or the node itself. */
  resolve(node: Node | null): Node | null;
  /** The entries of a mapping, those it merges in included; empty for any other node. */
  entries(node: Node | null): readonly Entry[];
  /** The entries that stand in a mapping itself, equal keys included. */
  ownEntries(node: Node | null): readonly Entry[];
  /** Where a node stands, without white space behind it; null for one that was not written. */
  span(node: Node): Span | null;
  position(offset: number): Position;
  /**
   * Asks for leave to look at `count` more nodes below `node`, for readers that follow aliases: a few lines of those can
   * stand for far more than a configuration holds.
   */
  mayVisit(count: number, node: Node): boolean;
  /** Where {@link mayVisit} said no first, or merged mappings had come to as much; null while neither has. */
  exhaustedAt(): Span | null;
}

export type Language = "yaml" | "json";

const MESSAGES: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: "A configuration is a single document; remove the `---` line and what follows.",
  MULTILINE_IMPLICIT_KEY: "A key without a value: write `key: value`, or remove the line.",
  TAG_RESOLVE_FAILED: "No such type is known; put the value in quotes if it begins with `!`.",
  TAB_AS_INDENT: "YAML is not indented with tabs; use spaces.",
};
const MAX_MESSAGE = 200;
/** Nodes that are looked at through aliases, and keys that are taken from merged mappings. */
const MAX_VISITS = 10_000;
const MAX_KEY_TEXT = 200;
/** More faults of a kind would not help. */
const MAX_FAULTS = 100;

/** A name that ends in `.json` is held to JSON's scalars. */
export function languageOf(path: string): Language {
  return path.toLowerCase().endsWith(".json") ? "json" : "yaml";
}

/** Reads YAML 1.2 (core schema, with merge keys), or with `json` only scalars that JSON knows. Never throws. */
export function readYaml(text: string, language: Language): YamlSource {
  const { document, lines, secondDocument, refusal } = parseYamlText(text, language);
  const targets = document === null ? new Map<Alias, Node | null>() : aliasTargets(document);
  const resolve = (node: Node | null): Node | null =>
    isAlias(node) ? (targets.get(node) ?? null) : node;
  const span = (node: Node): Span | null => spanOf(text, node);
  const own = (node: Node | null): readonly Entry[] => ownEntries(text, resolve(node));
  const budget = visitBudget();
  const merging = mergeReader(text, resolve, budget);
  return {
    text,
    language,
    root: document?.contents ?? null,
    faults: [
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
    ],
    resolve,
    entries: merging,
    mayVisit: budget.mayVisit,
    ownEntries: own,
    span,
    position: (offset) => {
      const { line, col } = lines.linePos(Math.min(Math.max(0, offset), text.length));
      return { line: Math.max(1, line), column: Math.max(1, col) };
    },
    exhaustedAt: () => {
      const node = budget.exhaustedBy();
      return node === null ? null : (span(node) ?? { start: 0, end: 0 });
    },
  };
}

/** A scalar as it was written: `0.10` stays `0.10`, and quotes are off. */
export function scalarText(value: unknown, source: string | undefined): string {
  return typeof value === "string" ? value : (source ?? String(value));
}

function spanOf(text: string, { range }: Node): Span | null {
  if (!range) return null;
  const [start, end] = range;
  const length = text.slice(start, end).trimEnd().length;
  return { start, end: start + length };
}

function faultAt(text: string, message: string, offset: number): SyntaxFault {
  const start = Math.min(offset, text.length);
  return { severity: "error", message, span: { start, end: Math.min(start + 1, text.length) } };
}

/** For one line that stands too far right the parser reports two errors at the same place; the second one knows the line. */
function withoutRepeatedIndentFaults(errors: readonly YAMLError[]): readonly YAMLError[] {
  return errors.filter(
    ({ code, pos }, index) =>
      code !== "BLOCK_AS_IMPLICIT_KEY" ||
      errors[index + 1]?.code !== "MULTILINE_IMPLICIT_KEY" ||
      errors[index + 1]?.pos[0] !== pos[0],
  );
}

/** The line that stands too far right or left, without its indent; null when the error is about something else. */
function misplacedLine(text: string, { code, pos, message }: YAMLError): Span | null {
  const [from, to] = pos;
  const isValueContinued =
    code === "MULTILINE_IMPLICIT_KEY" && /:[ \t]*$/.test(lineBefore(text, from));
  // Brackets that are indented too little have the same code.
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
  // A value with an unknown tag is not used, least of all as a secret.
  const severity = error.code === "TAG_RESOLVE_FAILED" ? "error" : level;
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
  // The parser quotes what it did not expect, which may be a secret.
  const words = error.message.replace(/: .*$/s, "").slice(0, MAX_MESSAGE);
  const message = MESSAGES[error.code] ?? `${words}.`;
  return { severity, message, span: { start, end }, ...(remedies.length > 0 && { remedies }) };
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

/** Every alias with the last node before it that carries its anchor. */
function aliasTargets(document: Document.Parsed): ReadonlyMap<Alias, Node | null> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node | null>();
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) targets.set(node, anchors.get(node.source) ?? null);
      else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

function unresolvedAlias(text: string, alias: Alias): SyntaxFault {
  // Its name is not shown: it may be a secret that begins with a star.
  const message =
    "No anchor stands before this alias; write the value out, in quotes if it begins with `*`.";
  return { severity: "error", message, span: spanOf(text, alias) ?? { start: 0, end: 0 } };
}

interface VisitBudget {
  readonly mayVisit: YamlSource["mayVisit"];
  /** The node for which too much was asked first; null while there is none. */
  readonly exhaustedBy: () => Node | null;
}

function visitBudget(): VisitBudget {
  let left = MAX_VISITS;
  let exhaustedBy: Node | null = null;
  return {
    mayVisit: (count, node) => {
      left -= count;
      if (left < 0) exhaustedBy ??= node;
      return left >= 0;
    },
    exhaustedBy: () => exhaustedBy,
  };
}

/** Entries with those of merged mappings; each mapping is merged once, however many others build on it. */
function mergeReader(
  text: string,
  resolve: YamlSource["resolve"],
  budget: VisitBudget,
): YamlSource["entries"] {
  const known = new Map<Node, readonly Entry[]>();
  const read = (node: Node | null): readonly Entry[] => {
    const map = resolve(node);
    if (!isMap<Node | null, Node | null>(map)) return [];
    const before = known.get(map);
    if (before !== undefined) return before;
    // A mapping that merges itself adds no key.
    known.set(map, []);
    const entries = merged(map);
    known.set(map, entries);
    return entries;
  };
  const merged = (map: YAMLMap<Node | null, Node | null>): readonly Entry[] => {
    const own = ownEntries(text, map);
    const merges = map.items.filter(({ key }) => isMergeKey(key));
    if (merges.length === 0 && new Set(own.map(({ key }) => key)).size === own.length) return own;
    const byKey = new Map<string, Entry>();
    const add = (entries: readonly Entry[]): void => {
      for (const entry of entries) if (!byKey.has(entry.key)) byKey.set(entry.key, entry);
    };
    add(own);
    for (const { key, value } of merges) {
      for (const source of mergeSources(resolve, value)) {
        const entries = read(source);
        if (!budget.mayVisit(entries.length + 1, key ?? map)) return [...byKey.values()];
        add(entries);
      }
    }
    return [...byKey.values()];
  };
  return read;
}

function ownEntries(text: string, node: Node | null): readonly Entry[] {
  if (!isMap(node)) return [];
  // A parsed mapping has only nodes as keys.
  const { items } = node as YAMLMap<Node | null, Node | null>;
  return items
    .filter(({ key }) => !isMergeKey(key))
    .map(({ key, value }) => ({ key: keyText(text, key), keyNode: key, value }));
}

function mergeSources(resolve: YamlSource["resolve"], node: Node | null): readonly (Node | null)[] {
  const value = resolve(node);
  return isSeq<Node>(value) ? value.items : [value];
}

function isMergeKey(key: Node | null): boolean {
  return isScalar(key) && typeof key.value === "symbol";
}

function keyText(text: string, key: Node | null): string {
  if (isScalar(key)) return scalarText(key.value, key.source);
  const range = key?.range;
  return range ? text.slice(range[0], Math.min(range[1], range[0] + MAX_KEY_TEXT)) : "null";
}
