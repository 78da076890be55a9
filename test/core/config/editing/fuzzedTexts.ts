/** Texts that the configuration reader must survive: broken, deep, huge, or expanding. Deterministic for a seed. */

import { complete } from "../../../../src/core/config/editing/completion/complete.ts";
import { diagnose } from "../../../../src/core/config/editing/diagnostics/diagnose.ts";
import { effectiveConfig } from "../../../../src/core/config/editing/display/effective.ts";
import { hover } from "../../../../src/core/config/editing/display/hover.ts";
import { lenses } from "../../../../src/core/config/editing/display/lenses.ts";
import { links } from "../../../../src/core/config/editing/display/links.ts";
import { insertEnvironment } from "../../../../src/core/config/editing/edits/insertEnvironment.ts";
import { setValue } from "../../../../src/core/config/editing/edits/setValue.ts";
import { fixAll, fixesAt } from "../../../../src/core/config/editing/fixes/fixes.ts";
import { parseConfig } from "../../../../src/core/config/parse.ts";
import { withoutSecretValues } from "../../../../src/core/config/secretValues.ts";
import { CATALOGUE } from "./aCatalogue.ts";

/** Pseudorandom numbers in [0, 1), the same for the same seed. */
export function uniformFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Uniform = () => number;

const PIECES = [
  ..."\n\n\n   :-?,[]{}#&*!|>'\"%@`~\t\r\\",
  ..."\u0000\u0002\u0018\u001f\u2028\ufeff\ud800é😀",
  "environments:\n  ",
  "model_name: ",
  "secrets: {a: ",
  "<<: *a\n",
  "&a ",
  "*a",
  "- ",
  "? ",
  "---\n",
  "...\n",
  "%YAML 1.1\n",
  "!!binary ",
  "|\n  ",
  ">-\n",
  "1e-5",
  "null",
  "yes",
  "__proto__: ",
  "evaluation: {splits: {",
  "local/calculator",
  "tinker://a/weights/b",
  "thinking: ",
  "# tinker-rl-ignore TRL203\n",
];

function pick<T>(uniform: Uniform, items: readonly T[]): T {
  return items[Math.floor(uniform() * items.length)] as T;
}

function soup(uniform: Uniform): string {
  const count = Math.floor(uniform() * 200);
  return Array.from({ length: count }, () => pick(uniform, PIECES)).join("");
}

function bytes(uniform: Uniform): string {
  const length = Math.floor(uniform() * 2000);
  const raw = Uint8Array.from({ length }, () => Math.floor(uniform() * 256));
  return new TextDecoder("utf-8").decode(raw);
}

/** A valid text with a few pieces cut out, duplicated, or inserted. */
function damaged(uniform: Uniform, sound: string): string {
  let text = sound;
  for (let count = 1 + Math.floor(uniform() * 6); count > 0; count--) {
    const at = Math.floor(uniform() * text.length);
    const length = Math.floor(uniform() * 40);
    const middle = pick(uniform, ["", pick(uniform, PIECES), text.slice(at, at + 2 * length)]);
    text = text.slice(0, at) + middle + text.slice(at + length);
  }
  return text;
}

/** Deep, long, or expanding texts; `size` is their order of magnitude. */
function hostile(uniform: Uniform, size: number): string {
  const opener = pick(uniform, ["[", "{", "{a: ", "- ", "? ", "a:\n ", "[{", "&a [", "a: b: "]);
  const bombLines = Array.from(
    { length: 12 },
    (_, i) =>
      `a${i}: &a${i} [${Array(9)
        .fill(i === 0 ? "x" : `*a${i - 1}`)
        .join(", ")}]\n`,
  );
  const many = Math.ceil(size / 12);
  const shared = Array.from({ length: many }, (_, i) => `    k${i}: 1\n`).join("");
  const users = (use: string) =>
    Array.from({ length: many }, (_, i) => `  e${i}: ${use}\n`).join("");
  return pick(uniform, [
    () => opener.repeat(size / opener.length),
    () => Array.from({ length: Math.sqrt(size) }, (_, i) => `${" ".repeat(i)}a:\n`).join(""),
    () => bombLines.join(""),
    () => `environments:\n  a: &a\n${shared}${users("*a")}`,
    () => `environments:\n  a: &a\n${shared}${users("{<<: *a}")}`,
    () => `secrets: &a\n  <<: *a\n  y: *a\n`,
    () => `${"k".repeat(size)}: 1\n`,
    () => `model_name: "${"x".repeat(size)}"\n`,
    () => Array.from({ length: many }, (_, i) => `learning_rat${i}: 1\n`).join(""),
    () => `environments:\n${Array.from({ length: many }, (_, i) => `  a/b${i}: {}\n`).join("")}`,
    () => `evaluation: {temperatures: [${"9, ".repeat(size / 3)}]}\n`,
    () => `{${"a,".repeat(size / 2)}`,
    () => "]".repeat(size),
    () => "#\n".repeat(size / 2),
    () => `a: |\n${" x\n".repeat(size / 3)}`,
    () => `a: "${"\n".repeat(size)}`,
  ])();
}

/** One text per number, cycling through all kinds. `size` limits the hostile ones. */
export function fuzzedText(
  index: number,
  uniform: Uniform,
  sound: readonly string[],
  size: number,
): string {
  const base = pick(uniform, sound);
  switch (index % 5) {
    case 0:
      return bytes(uniform);
    case 1:
      return soup(uniform);
    case 2:
      return damaged(uniform, base);
    case 3:
      return base.slice(0, Math.floor(uniform() * base.length)) + pick(uniform, PIECES);
    default:
      return hostile(uniform, Math.ceil(size * uniform()));
  }
}

/** Runs every editor query on a text. Returns the number of diagnostics. */
export function useAll(text: string, offset: number, path: string): number {
  const options = { path, catalogue: CATALOGUE, overrides: ["batch_size=8"] };
  const found = diagnose(text, options);
  for (const { span } of found) {
    if (!(span.start >= 0 && span.start <= span.end && span.end <= text.length)) {
      throw new Error(`a mark reaches from ${span.start} to ${span.end} of ${text.length}`);
    }
  }
  fixesAt(text, { start: offset, end: offset }, options);
  fixAll(text, options);
  complete(text, offset, options);
  hover(text, offset, options);
  lenses(text, { path, catalogue: CATALOGUE, status: { kind: "none" } });
  links(text, { path });
  effectiveConfig(text, options);
  setValue(text, ["environments", "Owner/Game", "num_rollouts"], 8, { path });
  insertEnvironment(text, "local/depot", { path });
  withoutSecretValues(text);
  parseConfig(text, { path });
  return found.length;
}
