/** The environments that a configuration names, also one that is half-written. */

import { languageOf, readYaml } from "../../source/yamlSource.ts";
import { pairsOf } from "../text/yamlPairs.ts";

/** To train and to evaluate in, in the order of the text. Never throws. */
export function namedEnvironments(
  text: string,
  { path }: { readonly path: string },
): readonly string[] {
  const source = readYaml(text, languageOf(path));
  const pairs = (node: Parameters<typeof pairsOf>[1]) => pairsOf(source, node);
  const under = (node: Parameters<typeof pairsOf>[1], key: string) =>
    pairs(node).find((pair) => pair.key === key)?.value ?? null;
  const { root } = source;
  const evaluated = under(under(root, "evaluation"), "splits");
  const named = [...pairs(under(root, "environments")), ...pairs(evaluated)];
  return [...new Set(named.map(({ key }) => key))];
}
