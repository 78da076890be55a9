/** Unknown keys that the rest of the file builds on: to remove one would break it. */

import { isAlias, isNode, visit } from "yaml";
import type { Finding } from "../source/finding.ts";
import type { KeyPath } from "../source/keyPath.ts";
import { entryAt } from "../source/locate.ts";
import { renamesOf } from "../source/remedy.ts";
import type { YamlSource } from "../source/yamlSource.ts";

/** The finding with a name under which the key may stay, where aliases elsewhere use its anchors. */
export function keepAnchored(source: YamlSource, finding: Finding): Finding {
  const isRemoved = finding.remedies?.some(({ kind }) => kind === "remove") === true;
  if (finding.code !== "TRL110" || !isRemoved || !hasUsedAnchor(source, finding.path)) {
    return finding;
  }
  const key = finding.path.at(-1) ?? "";
  const to = `x-${key}`;
  return {
    ...finding,
    message: `Unknown key \`${key}\`, but other lines use its anchor. Rename it to \`${to}\`: keys that begin with \`x-\` are for your own use.`,
    remedies: renamesOf(finding.path, [to]),
  };
}

function hasUsedAnchor(source: YamlSource, path: KeyPath): boolean {
  const { root } = source;
  const value = entryAt(source, path)?.value ?? null;
  if (root === null || value === null) return false;
  const anchors = new Set<string>();
  visit(value, {
    Node: (_key, node) => {
      if (!isAlias(node) && node.anchor !== undefined) anchors.add(node.anchor);
    },
  });
  let isUsed = false;
  visit(root, {
    Node: (_key, node) => {
      if (isNode(node) && node === value) return visit.SKIP;
      if (isAlias(node) && anchors.has(node.source)) isUsed = true;
      return undefined;
    },
  });
  return isUsed;
}
