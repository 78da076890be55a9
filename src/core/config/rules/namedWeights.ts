/**
 * Settings that name trained weights: by a `tinker://` path, a run's folder, `FOLDER@STEP` for the checkpoint after that many steps, or
 * the run of a stage.
 */

import type { Config } from "../fields/schema.ts";
import type { KeyPath } from "../source/keyPath.ts";

export interface NamedWeights {
  readonly path: KeyPath;
  readonly given: string;
}

const RUN_STEP = /^(?<folder>.+)@(?<step>\d+)$/;

/** The weights that a run with this method reads. */
export function namedWeights(config: Config): readonly NamedWeights[] {
  const { environments, init_from, kl_reference, method, teacher } = config;
  const named = (path: KeyPath, given: string | null | undefined): readonly NamedWeights[] =>
    given == null ? [] : [{ path, given }];
  const start = named(["init_from"], init_from);
  if (method !== "rl") return start;
  const isModel = kl_reference === "base" || kl_reference === "init";
  return [
    ...start,
    ...(isModel ? [] : named(["kl_reference"], kl_reference)),
    ...named(["teacher", "checkpoint"], teacher?.checkpoint),
    ...Object.entries(environments).flatMap(([name, own]) =>
      named(["environments", name, "teacher", "checkpoint"], own.teacher?.checkpoint),
    ),
  ];
}

/** True for the path of a setting that names weights. */
export function isWeightsPath(path: KeyPath): boolean {
  const [first, , ...own] = path;
  const [key, inside, ...deeper] = first === "environments" ? own : path;
  if (deeper.length > 0) return false;
  if (key === "teacher") return inside === "checkpoint";
  return path.length === 1 && (first === "init_from" || first === "kl_reference");
}

/** Folder and step count of `FOLDER@STEP`; null for any other text. */
export function runAtStep(text: string): { readonly folder: string; readonly step: number } | null {
  const { folder, step } = RUN_STEP.exec(text)?.groups ?? {};
  const isRun = folder !== undefined && !text.startsWith("tinker:");
  return isRun ? { folder, step: Number(step) } : null;
}
