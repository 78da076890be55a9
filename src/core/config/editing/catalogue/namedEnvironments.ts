/** The environments that a configuration names, also one that is half-written. */

import { isScalar, isSeq } from "yaml";
import { languageOf, readYaml } from "../../source/yamlSource.ts";
import { pairsOf } from "../text/yamlPairs.ts";

export interface NamedEnvironment {
  readonly name: string;
  /** Its own server as the text has it: an address, a command, or a library with the name there; null for one without. */
  readonly server: string | null;
}

/** To train and to evaluate in, in the order of the text. Never throws. */
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
