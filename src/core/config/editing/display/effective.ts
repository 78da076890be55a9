/** The configuration that a run would use: all defaults and overrides filled in, each value with its origin. */

import { isJsonObject, type Json } from "../../../json.ts";
import { type CheckedPart, type CheckedText, type CheckOptions, checkText } from "../../check.ts";
import type { Shape } from "../../fields/field.ts";
import { childShape, configShape, isSecret } from "../../fields/fields.ts";
import type { KeyPath } from "../../source/keyPath.ts";
import { flowText, wordText } from "../text/valueText.ts";
import { derivedText, isHidden, originText } from "./origin.ts";

/** YAML with the origin of each value as a comment. Secrets are null, and anything that looks like a key is `***`. Never throws. */
export function effectiveConfig(text: string, options: CheckOptions): string {
  const checked = checkText(text, options);
  const { source, problems, parts } = checked;
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const head = [
    "# The configuration that a run would use, with the source of each value.",
    ...(errors === 0 ? [] : [`# The file has ${errors === 1 ? "an error" : `${errors} errors`}.`]),
  ];
  const [part] = parts;
  if (part === undefined || part.repaired === null) return `${head.join("\n")}\n`;
  // Values parsed by the schema are JSON.
  const values = part.repaired.config as unknown as Json;
  return `${[...head, ...linesOf({ source, part }, values, configShape, [])].join("\n")}\n`;
}

interface SourceOfPart extends Pick<CheckedText, "source"> {
  readonly part: CheckedPart;
}

function linesOf(
  checked: SourceOfPart,
  value: Json,
  shape: Shape | undefined,
  path: KeyPath,
): readonly string[] {
  if (!isJsonObject(value)) return [];
  const indent = "  ".repeat(path.length);
  return Object.entries(value).flatMap(([key, item]) => {
    const place = [...path, key];
    const child = childShape(shape, key);
    const name = `${indent}${wordText(key, "yaml")}:`;
    const isBlock = isJsonObject(item) && Object.keys(item).length > 0;
    if (isBlock) return [name, ...linesOf(checked, item, child, place)];
    return [`${name} ${shownValue(item, child)} # ${comment(checked, place)}`];
  });
}

function shownValue(value: Json, shape: Shape | undefined): string {
  if (isHidden(shape, value)) {
    return isSecret(shape) ? "null" : '"***"';
  }
  return flowText(value, "yaml");
}

function comment({ source, part }: SourceOfPart, path: KeyPath): string {
  const config = part.repaired?.config;
  const derived = config === undefined ? null : derivedText(config, path);
  const origin = originText(source, { part, path });
  const text = derived === null ? origin : `${origin}; resolves to ${derived}`;
  return text.replace(/[\p{Cc}\s]+/gu, " ");
}
