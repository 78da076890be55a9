/** Checks the names that are known without a service: those of the embedded models and environments. */

import type { CheckedText, CheckOptions } from "../../check.ts";
import type { Problem } from "../../source/problem.ts";
import { EMBEDDED_CATALOGUE } from "../catalogue/embedded.ts";
import { diagnoseChecked } from "./diagnose.ts";

/** Errors about names that no embedded model or environment has, in text order. */
export function embeddedNameProblems(
  checked: CheckedText,
  options: CheckOptions,
): readonly Problem[] {
  return diagnoseChecked(checked, { ...options, catalogue: EMBEDDED_CATALOGUE }).filter(
    ({ severity, code }) => severity === "error" && code.startsWith("TRL30"),
  );
}
