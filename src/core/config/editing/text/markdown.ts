/** Markdown fragments for hovers and completions. Untrusted text is escaped, so it cannot add markup. */

import type { Json } from "../../../json.ts";
import { flowText } from "./valueText.ts";

const MAX_TEXT = 400;

/** Escapes untrusted text so that it creates no links, images, HTML or headings. */
export function plainText(text: string): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  const short = visible.length > MAX_TEXT ? `${visible.slice(0, MAX_TEXT)}…` : visible;
  return short.replace(/[\\`*_{}[\]()#+\-.!|<>~&$:@/]/g, (character) => `\\${character}`);
}

/** Untrusted text as inline code. */
export function code(text: string): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").replaceAll("`", "'");
  return `\`${visible.length > MAX_TEXT ? `${visible.slice(0, MAX_TEXT)}…` : visible}\``;
}

/** A value as inline code, formatted as in a file. */
export function valueCode(value: Json): string {
  return code(flowText(value, "yaml"));
}
