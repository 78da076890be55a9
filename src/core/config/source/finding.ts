/** A problem before its place in the text is known: what every rule returns. */

import type { PairPart } from "./locate.ts";
import type { Problem, RuleCode } from "./problem.ts";
import type { Remedy } from "./remedy.ts";

export type Finding = Omit<Problem, "at" | "span" | "related" | "remedies"> & {
  /** Which side of `key: value` is at fault. */
  readonly part: PairPart;
  readonly relatedPaths?: readonly (readonly string[])[];
  readonly remedies?: readonly Remedy[];
};

type Extra = Partial<Pick<Finding, "part" | "relatedPaths" | "remedies" | "tag">>;

/** A finding that keeps a run from starting; about the value unless `extra` says otherwise. */
export function conflict(
  code: RuleCode,
  path: readonly string[],
  message: string,
  extra: Extra = {},
): Finding {
  return { severity: "error", code, path, message, part: "value", ...extra };
}

/** A finding that is worth a second thought. */
export function advice(
  code: RuleCode,
  path: readonly string[],
  message: string,
  extra: Extra = {},
): Finding {
  return { severity: "warning", code, path, message, part: "value", ...extra };
}

/** A finding that only an editor shows. */
export function note(
  code: RuleCode,
  path: readonly string[],
  message: string,
  extra: Extra = {},
): Finding {
  return { severity: "info", code, path, message, part: "value", ...extra };
}

/** A finding that an editor shows without a mark in the list of problems, for what is allowed and often meant. */
export function hint(
  code: RuleCode,
  path: readonly string[],
  message: string,
  extra: Extra = {},
): Finding {
  return { severity: "hint", code, path, message, part: "value", ...extra };
}

/** The remedy that gives a key another value, titled as such. */
export function setTo(
  path: readonly string[],
  value: string | number | boolean | null,
  title = `Set to ${value}`,
): Remedy {
  return { kind: "set", path, value, title };
}

/** The remedies that give the key at `path` one of `words` as its name; the first is nearly always meant. */
export function renamesOf(path: readonly string[], words: readonly string[]): readonly Remedy[] {
  return words.map((to, index) => {
    const rename: Remedy = { kind: "rename", path, to, title: `Change to '${to}'` };
    return index === 0 ? preferred(rename) : rename;
  });
}

/** The same remedy as the one that is nearly always meant. */
export function preferred(remedy: Remedy): Remedy {
  return { ...remedy, isPreferred: true };
}
