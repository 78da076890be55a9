/** What keys mean in the runs table. */

import { type GridSize, rowAfter } from "../controls/gridKeys.ts";

export type GridAction =
  | { readonly kind: "move" | "extend"; readonly to: number }
  | { readonly kind: "toggle"; readonly at: number }
  | { readonly kind: "all" | "open" | "star" | "tags" | "note" };

interface GridPlace extends GridSize {
  readonly at: number;
}

/** Null for a key that means nothing here. */
export function gridKey(
  {
    key,
    shiftKey,
    ctrlKey,
    metaKey,
  }: Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey">,
  { at, ...size }: GridPlace,
): GridAction | null {
  const isCommand = ctrlKey || metaKey;
  if (isCommand) return key.toLowerCase() === "a" ? { kind: "all" } : null;
  if (key === " ") return { kind: "toggle", at };
  if (key === "Enter") return { kind: "open" };
  const single = ({ s: "star", t: "tags", n: "note" } as const)[key];
  if (single !== undefined) return size.hasSingleKeys ? { kind: single } : null;
  const to = rowAfter(key, at, size);
  if (to === null) return null;
  return { kind: shiftKey ? "extend" : "move", to: Math.max(0, Math.min(size.count - 1, to)) };
}
