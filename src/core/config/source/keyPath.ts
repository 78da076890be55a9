/** Keys from the root of a configuration to a value; list items have their index. */
export type KeyPath = readonly string[];

/** The path in the configuration of its stage; outside of stages, the path itself. */
export function withoutStage(path: KeyPath): KeyPath {
  return path[0] === "stages" ? path.slice(2) : path;
}

/** True when `place` is `path` or inside it. */
export function isWithin(place: KeyPath, path: KeyPath): boolean {
  return path.every((key, index) => place[index] === key);
}
