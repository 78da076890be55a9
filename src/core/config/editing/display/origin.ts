/** Where a value of the effective configuration comes from. */

import type { CheckedText } from "../../check.ts";
import type { Shape } from "../../field.ts";
import { shapeAt } from "../../fields.ts";
import { valueAt } from "../../issues.ts";
import { locate } from "../../locate.ts";
import {
  overlongBuffer,
  rollingSaveEvery,
  rolloutsAtOnce,
  zeroVariancePolicy,
} from "../../presets.ts";
import { isReplaced } from "../../repair.ts";
import type { Config } from "../../schema.ts";
import { hasKeyShape } from "../../secretRules.ts";

/** For example `line 12`, `default for local/ models`, `override seed=7`. */
export function originText(checked: CheckedText, path: readonly string[]): string {
  const { overridden, repaired, source, written, kind } = checked;
  const override = overridden.overrideBehind(path);
  if (override !== null) return `override ${override}`;
  if (repaired !== null && repaired.replaced.length > 0 && isReplaced(repaired, path)) {
    return "stands in for a value with a fault";
  }
  if (isWritten(written, path)) {
    const span = locate(source, path, "value");
    return span === null ? "this file" : `line ${source.position(span.start).line}`;
  }
  const field = shapeAt(path);
  const isLocalDefault = kind === "local" && field !== undefined && "localDefault" in field;
  return isLocalDefault ? "default for local/ models" : "default";
}

/** What a null comes to where another value decides; null when it stays null. */
export function derivedText(config: Config, path: readonly string[]): string | null {
  if (path.length !== 1) return null;
  switch (path[0]) {
    case "rolling_save_every":
      return config.rolling_save_every === null ? String(rollingSaveEvery(config)) : null;
    case "max_active_tasks":
      return config.max_active_tasks === null ? String(rolloutsAtOnce(config)) : null;
    case "overlong_buffer":
      return config.overlong_buffer === null ? String(overlongBuffer(config)) : null;
    case "zero_variance":
      return config.zero_variance === null ? zeroVariancePolicy(config) : null;
    case "tokenizer_name":
      return config.tokenizer_name === null ? config.model_name : null;
    case "log_path":
      return config.log_path === null ? ".tinker-rl/runs beside this file" : null;
    default:
      return null;
  }
}

/** True for values that must never be shown: secrets by their place, and text that looks like a key. */
export function isHidden(shape: Shape | undefined, value: unknown): boolean {
  if (typeof value !== "string") return false;
  return (shape?.type === "string" && shape.isSecret === true) || hasKeyShape(value);
}

/** A shorthand such as `thinking: true` writes the key that it stands for. */
function isWritten(written: unknown, path: readonly string[]): boolean {
  if (valueAt(written, path) !== undefined) return true;
  const parent = shapeAt(path.slice(0, -1));
  const isShorthand = parent?.type === "object" && parent.shorthand === path.at(-1);
  return isShorthand && typeof valueAt(written, path.slice(0, -1)) === "boolean";
}
