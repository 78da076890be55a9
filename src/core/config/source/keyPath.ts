/** Keys from the root of a configuration to one of its places; an item of a list has its index. */
export type KeyPath = readonly string[];

/** True for `path` itself and for what is in it. */
export function isWithin(place: KeyPath, path: KeyPath): boolean {
  return path.every((key, index) => place[index] === key);
}
