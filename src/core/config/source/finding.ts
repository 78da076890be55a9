/** A problem before its place in the text is known: what every rule returns. */

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

/** Makes findings of one severity, about the value unless `extra` says otherwise. */
function findingOf(severity: Severity) {
  return (code: RuleCode, path: KeyPath, message: string, extra: Extra = {}): Finding => {
    return { severity, code, path, message, part: "value", ...extra };
  };
}

/** A finding that keeps a run from starting. */
export const conflict = findingOf("error");

/** A finding that is worth a second thought. */
export const advice = findingOf("warning");

/** A finding that only an editor shows. */
export const note = findingOf("info");

/** A finding that an editor shows without a mark in the list of problems, for what is allowed and often meant. */
export const hint = findingOf("hint");
