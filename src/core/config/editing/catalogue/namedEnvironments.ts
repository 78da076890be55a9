/** Lists the environments that a configuration names, even when it is half-written. */

import { isScalar, isSeq } from "yaml";
import { languageOf, readYaml } from "../../source/yamlSource.ts";
import { pairsOf } from "../text/yamlPairs.ts";

export interface NamedEnvironment {
  readonly name: string;
  /** Its own server as written: a URL, a command, or a library and the name in it; null without one. */
  readonly server: string | null;
}

/** Environments of training and evaluation, in text order. Never throws. */
export function namedEnvironments(
  text: string,
  { path }: { readonly path: string },
): readonly NamedEnvironment[] {
  const source = readYaml(text, languageOf(path));
  type Value = Parameters<typeof pairsOf>[1];
  const pairs = (node: Value) => pairsOf(source, node);
  const under = (node: Value, key: string): Value =>
    pairs(node).find((pair) => pair.key === key)?.value ?? null;
  const words = (node: Value): string =>
    (isSeq(node) ? node.items : [node])
      .map((item) => (isScalar(item) ? String(item.value ?? "") : ""))
      .join(" ")
      .trim();
  const { root } = source;
  const named = new Map<string, string | null>();
  for (const { key, value } of pairs(under(root, "environments"))) {
    const server = under(value, "server");
    const bridged = `${words(under(server, "bridge"))} ${words(under(server, "id"))}`.trim();
    const own = words(under(server, "command")) || words(under(server, "url")) || bridged;
    named.set(key, own === "" ? null : own);
  }
  for (const { key } of pairs(under(under(root, "evaluation"), "splits"))) {
    if (!named.has(key)) named.set(key, null);
  }
  return [...named].map(([name, server]) => ({ name, server }));
}
