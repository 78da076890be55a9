/** The place of a key path in a text, for faults that were found elsewhere. */

import type { KeyPath } from "../../source/keyPath.ts";
import { locate, type PairPart } from "../../source/locate.ts";
import type { Span } from "../../source/span.ts";
import { languageOf, readYaml } from "../../source/yamlSource.ts";

/** That of the nearest key above for one that the text does not have; null for an empty text. */
export function keySpan(
  text: string,
  keys: KeyPath,
  { path, part }: { readonly path: string; readonly part: PairPart },
): Span | null {
  return locate(readYaml(text, languageOf(path)), keys, part);
}
