/** Pieces of Markdown for hovers and completions. Text from outside is shown as it is and can start nothing. */

import type { Json } from "../../../json.ts";
import { flowText } from "./valueText.ts";

const MAX_TEXT = 400;

/** Text from outside as plain words: no links, images, HTML or headings come of it. */
export function plainText(text: string): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  const short = visible.length > MAX_TEXT ? `${visible.slice(0, MAX_TEXT)}…` : visible;
  return short.replace(/[\\`*_{}[\]()#+\-.!|<>~&$:@/]/g, (character) => `\\${character}`);
}

/** Text from outside in a code font. */
export function code(text: string): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").replaceAll("`", "'");
  return `\`${visible.length > MAX_TEXT ? `${visible.slice(0, MAX_TEXT)}…` : visible}\``;
}

/** A value as a file would write it, in a code font. */
export function valueCode(value: Json): string {
  return code(flowText(value, "yaml"));
}
