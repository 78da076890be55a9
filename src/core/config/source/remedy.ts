/** The fix for a problem, independent of the text; `editing/fixes/remedyEdits.ts` turns it into edits. */

import type { Json } from "../../json.ts";
import type { KeyPath } from "./keyPath.ts";

export type RemedyAction =
  /** Sets the key at `path`, adding it if missing. */
  | { readonly kind: "set"; readonly path: KeyPath; readonly value: Json }
  /** Writes the same value differently. */
  | { readonly kind: "rewrite"; readonly path: KeyPath; readonly text: string }
  | { readonly kind: "rename"; readonly path: KeyPath; readonly to: string }
  /** Moves the pair at `path` to another place. */
  | { readonly kind: "move"; readonly path: KeyPath; readonly to: KeyPath }
  | { readonly kind: "remove"; readonly path: KeyPath }
  /** Removes the pair whose key starts at `offset`, for duplicate keys that share a path. */
  | { readonly kind: "removePairAt"; readonly offset: number }
  | { readonly kind: "swap"; readonly path: KeyPath; readonly other: KeyPath }
  /** Converts the list or name at `path` to a mapping. */
  | { readonly kind: "toMapping"; readonly path: KeyPath }
  /** Replaces the list at `path` with its only value. */
  | { readonly kind: "takeOutOfList"; readonly path: KeyPath }
  /** Moves the line at `offset` to the indentation of its sibling keys. */
  | { readonly kind: "align"; readonly offset: number }
  /** Replaces characters that only look like YAML or JSON with the intended ones. */
  | { readonly kind: "replaceStrays" }
  /** Indents the pair at `path`, and those after it up to `end`, under the empty key before it. */
  | { readonly kind: "indent"; readonly path: KeyPath; readonly end: KeyPath | null }
  /** Inserts a space at `offset`, after the colon of a key. */
  | { readonly kind: "space"; readonly offset: number }
  /** Replaces tabs at the start of lines with spaces. */
  | { readonly kind: "spaces" }
  /** Appends the local demo's configuration to a file without settings. */
  | { readonly kind: "insertDemo" }
  /** An action that only the editor can perform. */
  | { readonly kind: "command"; readonly command: RemedyCommand; readonly path: KeyPath };

export type RemedyCommand = "setSecret" | "secretToStore" | "secretToEnvFile" | "openOverrides";

export type Remedy = RemedyAction & {
  /** Title in the menu. */
  readonly title: string;
  /** True for the fix that is almost always intended. */
  readonly isPreferred?: true | undefined;
  /** True when it cannot change the meaning of the file, so it may be applied to a whole file at once. */
  readonly isSafe?: true | undefined;
};

/** A remedy that sets a key to a value. */
export function setTo(
  path: KeyPath,
  value: string | number | boolean | null,
  title = `Set to ${value}`,
): Remedy {
  return { kind: "set", path, value, title };
}

/** {@link setTo} for a key other than the one at fault, which the title then names. */
export function setKeyTo(path: KeyPath, value: string | number | boolean | null): Remedy {
  return setTo(path, value, `Set ${path.at(-1)} to ${value}`);
}

/** {@link setTo} for replacing a word. */
export function changeTo(path: KeyPath, word: string): Remedy {
  return setTo(path, word, `Change to '${word}'`);
}

/** A remedy that removes a key. */
export function removal(path: KeyPath): Remedy {
  return { kind: "remove", path, title: `Remove '${path.at(-1)}'` };
}

/** Remedies that rename the key at `path` to one of `words`, the first one preferred. */
export function renamesOf(path: KeyPath, words: readonly string[]): readonly Remedy[] {
  return preferFirst(words.map((to) => ({ kind: "rename", path, to, title: `Change to '${to}'` })));
}

/** Marks a remedy as preferred. */
export function preferred(remedy: Remedy): Remedy {
  return { ...remedy, isPreferred: true };
}

/** Marks the first remedy as preferred. */
export function preferFirst(remedies: readonly Remedy[]): readonly Remedy[] {
  return remedies.map((remedy, index) => (index === 0 ? preferred(remedy) : remedy));
}
