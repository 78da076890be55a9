/** A repair of a problem as an intention; `editing/fixes/remedyEdits.ts` turns it into changes of a text. */

import type { Json } from "../../json.ts";
import type { KeyPath } from "./keyPath.ts";

export type RemedyAction =
  /** Gives the key at `path` a value; adds it where it is missing. */
  | { readonly kind: "set"; readonly path: KeyPath; readonly value: Json }
  /** Other text for the same value. */
  | { readonly kind: "rewrite"; readonly path: KeyPath; readonly text: string }
  | { readonly kind: "rename"; readonly path: KeyPath; readonly to: string }
  /** Takes the key at `path`, with its value, to another place. */
  | { readonly kind: "move"; readonly path: KeyPath; readonly to: KeyPath }
  | { readonly kind: "remove"; readonly path: KeyPath }
  /** Removes the pair whose key begins at `offset`: for keys that a path cannot distinguish. */
  | { readonly kind: "removePairAt"; readonly offset: number }
  | { readonly kind: "swap"; readonly path: KeyPath; readonly other: KeyPath }
  /** A mapping instead of the list or the name at `path`. */
  | { readonly kind: "toMapping"; readonly path: KeyPath }
  /** The only value of the list at `path` instead of the list. */
  | { readonly kind: "takeOutOfList"; readonly path: KeyPath }
  /** Moves the line at `offset` to the indentation of the keys that it belongs to. */
  | { readonly kind: "align"; readonly offset: number }
  /** What is meant instead of characters that only look like YAML or JSON. */
  | { readonly kind: "replaceStrays" }
  /** Moves the pair at `path`, and what follows it up to `end`, below the empty key before it. */
  | { readonly kind: "indent"; readonly path: KeyPath; readonly end: KeyPath | null }
  /** Spaces instead of tabs at the start of every line. */
  | { readonly kind: "spaces" }
  /** What an editor alone can do. */
  | { readonly kind: "command"; readonly command: RemedyCommand; readonly path: KeyPath };

export type RemedyCommand = "setSecret" | "secretToStore" | "secretToEnvFile" | "openOverrides";

export type Remedy = RemedyAction & {
  /** As a menu shows it. */
  readonly title: string;
  /** True for the one that is nearly always meant. */
  readonly isPreferred?: true | undefined;
  /** True when it cannot change what the file means, so that it may be applied to a whole file at once. */
  readonly isSafe?: true | undefined;
};

/** The remedy that gives a key another value, titled as such. */
export function setTo(
  path: KeyPath,
  value: string | number | boolean | null,
  title = `Set to ${value}`,
): Remedy {
  return { kind: "set", path, value, title };
}

/** The same for a key elsewhere than the problem, which the title names. */
export function setKeyTo(path: KeyPath, value: string | number | boolean | null): Remedy {
  return setTo(path, value, `Set ${path.at(-1)} to ${value}`);
}

/** The same for one word instead of another. */
export function changeTo(path: KeyPath, word: string): Remedy {
  return setTo(path, word, `Change to '${word}'`);
}

/** The remedy that takes a key out of the file. */
export function removal(path: KeyPath): Remedy {
  return { kind: "remove", path, title: `Remove '${path.at(-1)}'` };
}

/** The remedies that give the key at `path` one of `words` as its name; the first is nearly always meant. */
export function renamesOf(path: KeyPath, words: readonly string[]): readonly Remedy[] {
  return preferFirst(words.map((to) => ({ kind: "rename", path, to, title: `Change to '${to}'` })));
}

/** The same remedy as the one that is nearly always meant. */
export function preferred(remedy: Remedy): Remedy {
  return { ...remedy, isPreferred: true };
}

/** The same remedies, the first as the one that is nearly always meant. */
export function preferFirst(remedies: readonly Remedy[]): readonly Remedy[] {
  return remedies.map((remedy, index) => (index === 0 ? preferred(remedy) : remedy));
}
