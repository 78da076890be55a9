/** Values as YAML or JSON text, in the style in which a person would write them into a configuration. */

import { isJsonObject, type Json } from "../../../json.ts";
import type { Language } from "../../source/yamlSource.ts";

const PLAIN = /^[A-Za-z0-9_./][A-Za-z0-9_./:@+-]*(?: [A-Za-z0-9_./:@+-]+)*$/;
/** What some YAML reader takes for something other than text. */
const NOT_TEXT =
  /^(?:null|true|false|yes|no|on|off|y|n|[-+.]?\d[\d_.:]*(?:e[-+]?\d+)?|0[xo][\da-f]+|\.(?:inf|nan))$/i;

/** One line: `0.5`, `1e-5`, `Qwen/Qwen3-8B`, `[test]`, `{ train: {} }`. */
export function flowText(value: Json, language: Language): string {
  if (typeof value === "string") return wordText(value, language);
  if (typeof value === "number") return numberText(value);
  if (Array.isArray(value)) {
    return `[${value.map((item: Json) => flowText(item, language)).join(", ")}]`;
  }
  if (!isJsonObject(value)) return String(value);
  const pairs = Object.entries(value).map(
    ([key, item]) => `${wordText(key, language)}: ${flowText(item, language)}`,
  );
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}

export interface BlockStyle {
  readonly language: Language;
  /** White space before the key. */
  readonly indent: string;
  /** White space added for each level. */
  readonly step: string;
  readonly newline: string;
}

/** `key: value` with the mappings in it as lines of their own, without the indent of the first line. */
export function blockPair(key: string, value: Json, style: BlockStyle): string {
  const name = wordText(key, style.language);
  if (!isJsonObject(value) || Object.keys(value).length === 0) {
    return `${name}: ${flowText(value, style.language)}`;
  }
  const inner = { ...style, indent: style.indent + style.step };
  const lines = Object.entries(value).map(
    ([child, item]) => `${inner.indent}${blockPair(child, item, inner)}`,
  );
  return [`${name}:`, ...lines].join(style.newline);
}

/** Text as a key or value: plain where that is sure to be read as text, else in double quotes. */
export function wordText(text: string, language: Language): string {
  const isPlain =
    language === "yaml" && PLAIN.test(text) && !NOT_TEXT.test(text) && !/:( |$)/.test(text);
  return isPlain ? text : JSON.stringify(text);
}

/** `1e-5` instead of `0.00001`. */
function numberText(value: number): string {
  const isSmall = value !== 0 && Math.abs(value) < 1e-2;
  return isSmall ? value.toExponential() : String(value);
}
