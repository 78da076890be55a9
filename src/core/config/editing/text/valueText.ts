/** Formats values as YAML or JSON in the style a person would use in a configuration. */

import { isJsonObject, type Json } from "../../../json.ts";
import type { Language } from "../../source/yamlSource.ts";

const PLAIN = /^[A-Za-z0-9_./][A-Za-z0-9_./:@+-]*(?: [A-Za-z0-9_./:@+-]+)*$/;
/** Plain words that some YAML parser reads as something other than text. */
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

/** `key: value` with nested mappings on their own lines. The first line is not indented. */
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

/** Text as a key or value: plain if every parser reads it as text, otherwise in double quotes. */
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
