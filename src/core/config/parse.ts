/** Parses the text of a configuration file into a full configuration or a list of everything wrong with it. */

import { type CheckedText, type CheckOptions, checkText } from "./check.ts";
import type { Config } from "./fields/schema.ts";
import type { AppliedOverride } from "./overrides.ts";
import type { Problem } from "./source/problem.ts";

export type ParseResult =
  | {
      readonly ok: true;
      readonly config: Config;
      readonly warnings: readonly Problem[];
      readonly overrides: readonly AppliedOverride[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Parses YAML 1.2 or JSON text into a configuration with all defaults filled in. Never throws. Problems and warnings are in text order,
 * those of overrides first; notes that only an editor shows are left out.
 */
export function parseConfig(text: string, options: CheckOptions): ParseResult {
  return parseChecked(checkText(text, options));
}

/** {@link parseConfig} for text that is already checked. */
export function parseChecked({ config, problems, overridden }: CheckedText): ParseResult {
  const reported = problems.filter(
    ({ severity }) => severity === "error" || severity === "warning",
  );
  return config !== null && !reported.some(({ severity }) => severity === "error")
    ? { ok: true, config, warnings: reported, overrides: overridden.applied }
    : { ok: false, problems: reported };
}
