/** Determines where a value of the effective configuration comes from. */

import type { CheckedPart, CheckedText } from "../../check.ts";
import type { Shape } from "../../fields/field.ts";
import { isSecret, shapeAt } from "../../fields/fields.ts";
import {
  maxConcurrentRollouts,
  maxConcurrentSamples,
  overlongBuffer,
  rollingSaveEvery,
  zeroVariancePolicy,
} from "../../fields/presets.ts";
import { isSame } from "../../fields/sameValue.ts";
import type { Config } from "../../fields/schema.ts";
import { isReplaced } from "../../repair.ts";
import { valueAt } from "../../rules/issues.ts";
import { hasKeyShape } from "../../rules/secretRules.ts";
import type { KeyPath } from "../../source/keyPath.ts";
import { locate } from "../../source/locate.ts";
import type { YamlSource } from "../../source/yamlSource.ts";
import { ownPlace } from "../../stages.ts";

/** A key in the configuration of a stage, or of the whole file. */
export interface PartKey {
  readonly part: CheckedPart;
  readonly path: KeyPath;
}

/** The first part that uses the value at `path` in the text; null when no part does. */
export function partKeyAt({ source, parts }: CheckedText, path: KeyPath): PartKey | null {
  const inner = path[0] === "stages" && path.length > 2 ? path.slice(2) : path;
  const part = parts.find(({ name }) => isSame(ownPlace(source, name, inner), path));
  return part === undefined ? null : { part, path: inner };
}

/** For example `line 12`, `default for local/ models`, `override seed=7`. */
export function originText(source: YamlSource, { part, path }: PartKey): string {
  const { name, overridden, repaired, written, kind } = part;
  const override = overridden.overrideBehind(path);
  if (override !== null) return `override ${override}`;
  if (repaired !== null && repaired.replaced.length > 0 && isReplaced(repaired, path)) {
    return "replaces an invalid value";
  }
  if (isWritten(written, path)) {
    const span = locate(source, ownPlace(source, name, path), "value");
    return span === null ? "this file" : `line ${source.position(span.start).line}`;
  }
  const field = shapeAt(path);
  const isLocalDefault = kind === "local" && field !== undefined && "localDefault" in field;
  return isLocalDefault ? "default for local/ models" : "default";
}

const DERIVED: ReadonlyMap<string, (config: Config) => number | string> = new Map<
  keyof Config,
  (config: Config) => number | string
>([
  ["rolling_save_every", rollingSaveEvery],
  ["max_active_tasks", maxConcurrentRollouts],
  ["max_samples_in_flight", maxConcurrentSamples],
  ["overlong_buffer", overlongBuffer],
  ["zero_variance", zeroVariancePolicy],
  ["tokenizer_name", ({ model_name }) => model_name],
  ["log_path", () => ".tinker-rl/runs next to this file"],
]);

/** What a null resolves to when it is derived from other values; null when it is not derived. */
export function derivedText(config: Config, path: KeyPath): string | null {
  const [key = ""] = path;
  const derive = DERIVED.get(key);
  if (path.length !== 1 || derive === undefined || valueAt(config, path) !== null) return null;
  return String(derive(config));
}

/** True for values that must never be shown: secret fields, and text that looks like an API key. */
export function isHidden(shape: Shape | undefined, value: unknown): boolean {
  if (typeof value !== "string") return false;
  return isSecret(shape) || hasKeyShape(value);
}

/** A shorthand such as `thinking: true` sets the key that it abbreviates. */
function isWritten(written: unknown, path: KeyPath): boolean {
  if (valueAt(written, path) !== undefined) return true;
  const parent = shapeAt(path.slice(0, -1));
  const isShorthand = parent?.type === "object" && parent.shorthand === path.at(-1);
  return isShorthand && typeof valueAt(written, path.slice(0, -1)) === "boolean";
}
