/** A problem that has not been located in the text yet; what every rule returns. */

import type { KeyPath } from "./keyPath.ts";
import type { PairPart } from "./locate.ts";
import type { Problem, RuleCode, Severity } from "./problem.ts";
import type { Remedy } from "./remedy.ts";

export type Finding = Omit<Problem, "at" | "span" | "related" | "remedies"> & {
  /** Which side of `key: value` is at fault. */
  readonly part: PairPart;
  readonly relatedPaths?: readonly KeyPath[];
  readonly remedies?: readonly Remedy[];
};

type Extra = Partial<Pick<Finding, "part" | "relatedPaths" | "remedies" | "tag">>;

/** Creates findings of one severity, about the value unless `extra` says otherwise. */
function findingOf(severity: Severity) {
  return (code: RuleCode, path: KeyPath, message: string, extra: Extra = {}): Finding => {
    return { severity, code, path, message, part: "value", ...extra };
  };
}

/** Creates a finding that prevents a run from starting. */
export const conflict = findingOf("error");

/** Creates a finding that deserves a second look. */
export const advice = findingOf("warning");

/** Creates a finding that only editors show. */
export const note = findingOf("info");

/** Creates a finding that editors show without listing it as a problem: allowed, and often intended. */
export const hint = findingOf("hint");
