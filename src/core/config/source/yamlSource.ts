/** A configuration's text as YAML nodes with positions, without any interpretation. */

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
  /** Resolves an alias to its node; returns any other node unchanged. */
  resolve(node: Node | null): Node | null;
  /** Entries of a mapping including merged ones; empty for any other node. */
  entries(node: Node | null): readonly Entry[];
  /** Entries written in the mapping itself, duplicates included. */
  ownEntries(node: Node | null): readonly Entry[];
  /** Span without trailing white space; null for a node that is not in the text. */
  span(node: Node): Span | null;
  position(offset: number): Position;
  /**
   * Requests to visit `count` more nodes below `node`. Readers that follow aliases must ask, because a few lines of aliases can expand to
   * far more than a configuration holds.
   */
  mayVisit(count: number, node: Node): boolean;
  /** Where the budget of {@link mayVisit} or of merged mappings first ran out; null while it has not. */
  exhaustedAt(): Span | null;
}

export type Language = "yaml" | "json";

/** `json` for a file name that ends in `.json`, otherwise `yaml`. */
export function languageOf(path: string): Language {
  return path.toLowerCase().endsWith(".json") ? "json" : "yaml";
}

/** Parses YAML 1.2 (core schema with merge keys), or for `json` only JSON's scalars. Never throws. */
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
