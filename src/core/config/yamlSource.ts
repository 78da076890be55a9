/** The text of a configuration as YAML nodes that know where they stand. What the nodes mean is decided elsewhere. */

import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
} from "yaml";

/** Lines and columns count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface SyntaxFault {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly at: Position;
}

/** One `key: value` of a mapping; merged ones (`<<`) keep the nodes of where they were written. */
export interface Entry {
  readonly key: string;
  readonly keyNode: Node | null;
  readonly value: Node | null;
}

export interface YamlSource {
  readonly root: Node | null;
  readonly faults: readonly SyntaxFault[];
  /** The node that an alias stands for, or the node itself. */
  resolve(node: Node | null): Node | null;
  /** The entries of a mapping, those it merges in included; empty for any other node. */
  entries(node: Node | null): readonly Entry[];
  position(node: Node): Position | null;
}

const MESSAGES: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: "A configuration is a single document; remove the `---` line and what follows.",
  TAB_AS_INDENT: "YAML is not indented with tabs; use spaces.",
};

/** Reads YAML 1.2 (core schema, with merge keys), or with `json` only scalars that JSON knows. Never throws. */
export function readYaml(text: string, language: "yaml" | "json"): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: "1.2",
    schema: language === "json" ? "json" : "core",
    merge: true,
    prettyErrors: false,
    // Found by `duplicateKeys` instead: the parser may place one at the end of the line before.
    uniqueKeys: false,
    lineCounter: lines,
  });
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const position = (node: Node): Position | null => (node.range ? positionAt(node.range[0]) : null);
  const faultAt = (node: Node, message: string): SyntaxFault => {
    return { severity: "error", message, at: position(node) ?? positionAt(0) };
  };
  return {
    root: document.contents,
    faults: [
      ...document.errors.map((error) => faultOf("error", error, positionAt)),
      ...document.warnings.map((warning) => faultOf("warning", warning, positionAt)),
      ...duplicateKeys(document).map((key) =>
        faultAt(key, `The key \`${keyText(key)}\` is already set above; keep one of the two.`),
      ),
      ...unresolvedAliases(document).map((alias) =>
        faultAt(alias, `No anchor \`&${alias.source}\` stands before this; write the value out.`),
      ),
    ],
    resolve: (node) => resolveAlias(document, node),
    entries: (node) => entriesOf(document, node, new Set()),
    position,
  };
}

function faultOf(
  severity: SyntaxFault["severity"],
  error: YAMLError,
  positionAt: (offset: number) => Position,
): SyntaxFault {
  const message = MESSAGES[error.code] ?? `${error.message}.`;
  return { severity, message, at: positionAt(error.pos[0]) };
}

function duplicateKeys(document: Document.Parsed<ParsedNode>): readonly Node[] {
  const found: Node[] = [];
  visit(document, {
    Map: (_key, map) => {
      const seen = new Set<string>();
      // A parsed mapping has only nodes as keys.
      for (const { key, keyNode } of ownEntries(map as YAMLMap<Node | null, Node | null>)) {
        if (seen.has(key) && keyNode !== null) found.push(keyNode);
        seen.add(key);
      }
    },
  });
  return found;
}

function unresolvedAliases(document: Document.Parsed<ParsedNode>): readonly Alias[] {
  const found: Alias[] = [];
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document) === undefined) found.push(alias);
    },
  });
  return found;
}

function resolveAlias(document: Document.Parsed<ParsedNode>, node: Node | null): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? null) : node;
}

function entriesOf(
  document: Document.Parsed<ParsedNode>,
  node: Node | null,
  seen: Set<Node>,
): readonly Entry[] {
  const map = resolveAlias(document, node);
  // A mapping met again adds no key, and one that merges itself would never end.
  if (!isMap<Node | null, Node | null>(map) || seen.has(map)) return [];
  seen.add(map);
  const own = ownEntries(map);
  const merged = map.items
    .filter((pair) => isMergeKey(pair.key))
    .flatMap((pair) => mergeSources(document, pair.value))
    .flatMap((source) => entriesOf(document, source, seen));
  const byKey = new Map<string, Entry>();
  for (const entry of [...own, ...merged]) {
    if (!byKey.has(entry.key)) byKey.set(entry.key, entry);
  }
  return [...byKey.values()];
}

function ownEntries(map: YAMLMap<Node | null, Node | null>): readonly Entry[] {
  return map.items
    .filter((pair) => !isMergeKey(pair.key))
    .map((pair) => ({ key: keyText(pair.key), keyNode: pair.key, value: pair.value }));
}

function mergeSources(
  document: Document.Parsed<ParsedNode>,
  node: Node | null,
): readonly (Node | null)[] {
  const value = resolveAlias(document, node);
  return isSeq<Node>(value) ? value.items : [value];
}

function isMergeKey(key: Node | null): boolean {
  return isScalar(key) && typeof key.value === "symbol";
}

function keyText(key: Node | null): string {
  return isScalar(key) ? scalarText(key.value, key.source) : String(key);
}

/** A scalar as it was written: `0.10` stays `0.10`, and quotes are off. */
export function scalarText(value: unknown, source: string | undefined): string {
  return typeof value === "string" ? value : (source ?? String(value));
}
