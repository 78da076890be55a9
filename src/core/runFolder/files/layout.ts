/** The paths of all files in a run folder. */

import type { RolloutSet } from "../../../shared/rolloutSet.ts";
import type { FileSystem } from "../../ports.ts";

export function runPaths(folder: string) {
  return {
    /** Owner, heartbeat and generation ({@link RunFile}). */
    runFile: `${folder}/run.json`,
    /** The configuration as the user wrote it, secrets redacted. */
    config: `${folder}/config.yaml`,
    /** The configuration with all defaults, secrets redacted. */
    resolvedConfig: `${folder}/config.resolved.json`,
    /** The overrides so far, as a list of strings; absent if there were none. */
    overrides: `${folder}/overrides.json`,
    metrics: `${folder}/metrics.jsonl`,
    events: `${folder}/events.jsonl`,
    checkpoints: `${folder}/checkpoints.jsonl`,
    state: `${folder}/state.json`,
    previousState: `${folder}/state.prev.json`,
    rolloutFolder: `${folder}/rollouts`,
    evalFolder: `${folder}/eval`,
    /** Groups that finished before their step, kept while a resume may need them. */
    pendingFolder: `${folder}/pending`,
    /** Images that environments sent, each named by its SHA-256. */
    imageFolder: `${folder}/images`,
    /** One line of results per evaluation. */
    evaluations: `${folder}/eval/results.jsonl`,
    /** Uploads to OpenReward so far; absent if uploading is off. */
    uploads: `${folder}/upload.jsonl`,
    /** Notifications sent so far; absent if there are none. */
    notifications: `${folder}/notify.jsonl`,
    /** The prices that costs are computed with; absent if unknown. */
    prices: `${folder}/prices.json`,
    /** Token usage of all requests. */
    usage: `${folder}/usage.jsonl`,
    /** The user's marks on the run and its rollouts; absent until there are any. */
    marks: `${folder}/marks.jsonl`,
  };
}

/** The files of one step: rollout bodies, each written when it ends; an index of summaries with byte offsets; tokens. */
export function stepPaths(folder: string, step: number) {
  const stem = `${runPaths(folder).rolloutFolder}/${stepStem(step)}`;
  return { bodies: `${stem}.jsonl`, index: `${stem}.index.jsonl`, tokens: `${stem}.tokens.bin` };
}

/** The output of the server that a run started for `environment`. */
export function serverLogPath(folder: string, environment: string): string {
  return `${folder}/${serverLogName(environment)}`;
}

/** Relative to the run folder. */
export function serverLogName(environment: string): string {
  return `servers/${environment.replaceAll(/[^\w.-]/g, "-").replace(/^\.+/, "")}.log`;
}

export function evalPath(folder: string, step: number): string {
  return `${runPaths(folder).evalFolder}/${stepStem(step)}.jsonl`;
}

/** The token records of a training step, or of the evaluations after `step` completed steps. */
export function tokensPath(folder: string, { source, step }: RolloutSet): string {
  return source === "training"
    ? stepPaths(folder, step).tokens
    : `${runPaths(folder).evalFolder}/${stepStem(step)}.tokens.bin`;
}

/** Where a resume moves what `attempt` wrote beyond the resumed step; same layout as a run folder. */
export function supersededFolder(folder: string, attempt: number): string {
  return `${supersededParent(folder)}/attempt-${attempt}`;
}

export function supersededParent(folder: string): string {
  return `${folder}/superseded`;
}

/** Attempts with steps that a resume moved away, ascending, according to the folders that exist. */
export async function supersededAttempts(
  fileSystem: Pick<FileSystem, "list">,
  folder: string,
): Promise<readonly number[]> {
  const names = await fileSystem.list(supersededParent(folder));
  return names
    .flatMap((name) => /^attempt-([1-9]\d{0,5})$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** The step of a file in `rollouts` or `eval`; null for other names. */
export function stepOfFileName(name: string): number | null {
  const digits = /^step-(\d{6,15})\./.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

function stepStem(step: number): string {
  return `step-${String(step).padStart(6, "0")}`;
}
