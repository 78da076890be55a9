/** The text of a configuration as YAML nodes with their positions, without any meaning. */

import { type Alias, isAlias, type Node } from "yaml";
import type { Position, Span } from "./span.ts";
import { parseYamlText } from "./yamlDocument.ts";
import { type SyntaxFault, syntaxFaults } from "./yamlFaults.ts";
import {
  aliasTargets,
  type Entry,
  mergeReader,
  ownEntries,
  spanOf,
  visitBudget,
} from "./yamlNodes.ts";

export interface YamlSource {
  readonly text: string;
  readonly language: Language;
  readonly root: Node | null;
  readonly faults: readonly SyntaxFault[];
  /** The node that an alias stands for, or the node itself. */
  resolve(node: Node | null): Node | null;
  /** The entries of a mapping, those it merges in included; empty for any other node. */
  entries(node: Node | null): readonly Entry[];
  /** The entries that are in a mapping itself, equal keys included. */
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

/** A name that ends in `.json` is held to JSON's scalars. */
export function languageOf(path: string): Language {
  return path.toLowerCase().endsWith(".json") ? "json" : "yaml";
}

/** Reads YAML 1.2 (core schema, with merge keys), or with `json` only scalars that JSON knows. Never throws. */
export function readYaml(text: string, language: Language): YamlSource {
  const parsed = parseYamlText(text, language);
  const { document, lines } = parsed;
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
    faults: syntaxFaults(text, parsed, { targets, language }),
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
