/** Equality of plain configuration values. */

/** Compares deeply. The order of mapping keys does not matter; the order of list items does. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return Object.is(a, b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(ownValue(a, key), ownValue(b, key)))
  );
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function ownValue(container: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(container, key)?.value;
}
