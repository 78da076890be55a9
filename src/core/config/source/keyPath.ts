/** Keys from the root of a configuration to a value; list items have their index. */
export type KeyPath = readonly string[];

/** True when `place` is `path` or inside it. */
export function isWithin(place: KeyPath, path: KeyPath): boolean {
  return path.every((key, index) => place[index] === key);
}
