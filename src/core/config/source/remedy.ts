/** A repair of a problem as an intention; `editing/fixes/remedyEdits.ts` turns it into changes of a text. */

import type { Json } from "../../json.ts";

type Path = readonly string[];

export type RemedyAction =
  /** Gives the key at `path` a value; adds it where it is missing. */
  | { readonly kind: "set"; readonly path: Path; readonly value: Json }
  /** Other text for the same value. */
  | { readonly kind: "rewrite"; readonly path: Path; readonly text: string }
  | { readonly kind: "rename"; readonly path: Path; readonly to: string }
  /** Takes the key at `path`, with its value, to another place. */
  | { readonly kind: "move"; readonly path: Path; readonly to: Path }
  | { readonly kind: "remove"; readonly path: Path }
  /** Removes the pair whose key begins at `offset`: for keys that a path cannot distinguish. */
  | { readonly kind: "removePairAt"; readonly offset: number }
  | { readonly kind: "swap"; readonly path: Path; readonly other: Path }
  /** A mapping instead of the list or the name at `path`. */
  | { readonly kind: "toMapping"; readonly path: Path }
  /** The only value of the list at `path` instead of the list. */
  | { readonly kind: "takeOutOfList"; readonly path: Path }
  /** Moves the line at `offset` to the indentation of the keys that it belongs to. */
  | { readonly kind: "align"; readonly offset: number }
  /** What is meant instead of characters that only look like YAML or JSON. */
  | { readonly kind: "replaceStrays" }
  /** Moves the pair at `path`, and what follows it up to `end`, below the empty key before it. */
  | { readonly kind: "indent"; readonly path: Path; readonly end: Path | null }
  /** Spaces instead of tabs at the start of every line. */
  | { readonly kind: "spaces" }
  /** What an editor alone can do. */
  | { readonly kind: "command"; readonly command: RemedyCommand; readonly path: Path };

export type RemedyCommand = "setSecret" | "secretToStore" | "secretToEnvFile" | "openOverrides";

export type Remedy = RemedyAction & {
  /** As a menu shows it. */
  readonly title: string;
  /** True for the one that is nearly always meant. */
  readonly isPreferred?: true | undefined;
  /** True when it cannot change what the file means, so that it may be applied to a whole file at once. */
  readonly isSafe?: true | undefined;
};
