/** From a key path to the place in the text that a problem with it should point at. */

import { isSeq, type Node } from "yaml";
import type { Entry, Position, YamlSource } from "./yamlSource.ts";

/**
 * The position of the value at `path`, or with `part` `"key"` of its key. A place that the file does not have is
 * stood in for by the nearest one above it that it has.
 */
export function locate(
  source: YamlSource,
  path: readonly string[],
  part: "key" | "value",
): Position | null {
  let node = source.root;
  let at = node === null ? null : source.position(node);
  for (const [depth, key] of path.entries()) {
    const entry = childOf(source, node, key);
    if (entry === undefined) return at;
    const isLast = depth === path.length - 1;
    const keyAt = entry.keyNode === null ? null : source.position(entry.keyNode);
    const valueAt = isEmpty(entry.value) ? null : source.position(entry.value);
    at = (isLast && part === "value" ? (valueAt ?? keyAt) : (keyAt ?? valueAt)) ?? at;
    node = entry.value;
  }
  return at;
}

function childOf(source: YamlSource, node: Node | null, key: string): Entry | undefined {
  const parent = source.resolve(node);
  if (!isSeq<Node>(parent)) return source.entries(parent).find((entry) => entry.key === key);
  const item = parent.items[Number(key)];
  return item === undefined ? undefined : { key, keyNode: null, value: item };
}

/** True for the null of `key:` with nothing behind it, which stands where the next thing begins. */
function isEmpty(node: Node | null): node is null {
  return node === null || (node.range != null && node.range[0] === node.range[1]);
}
