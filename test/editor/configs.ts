/** Configurations that journeys train with. */

import { TEMPLATES } from "../../src/core/config/editing/completion/templates.ts";

/** The local demo without its evaluations, with other values for top-level keys. */
export function localConfig(changes: Readonly<Record<string, unknown>> = {}): string {
  const text = TEMPLATES.find(({ kind }) => kind === "local")?.text ?? "";
  const plain = text.slice(0, text.indexOf("# Evaluates on other tasks")).trimEnd();
  const keys = Object.keys(changes).map((key) => `${key}:`);
  const kept = plain.split("\n").filter((line) => !keys.some((key) => line.startsWith(key)));
  const added = Object.entries(changes).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `${[...kept, ...added].join("\n")}\n`;
}
