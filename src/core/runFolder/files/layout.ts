/** The names of all files in a run folder. */

import type { RolloutSet } from "../../../shared/rolloutSet.ts";
import type { FileSystem } from "../../ports.ts";

export function runPaths(folder: string) {
  return {
    /** Owner, heartbeat and generation ({@link RunFile}). */
    runFile: `${folder}/run.json`,
    /** The configuration as the user wrote it, redacted. */
    config: `${folder}/config.yaml`,
    /** The configuration with all defaults, redacted. */
    resolvedConfig: `${folder}/config.resolved.json`,
    /** The overrides given so far, as a list of texts; absent when there were none. */
    overrides: `${folder}/overrides.json`,
    metrics: `${folder}/metrics.jsonl`,
    events: `${folder}/events.jsonl`,
    checkpoints: `${folder}/checkpoints.jsonl`,
    state: `${folder}/state.json`,
    previousState: `${folder}/state.prev.json`,
    rolloutFolder: `${folder}/rollouts`,
    evalFolder: `${folder}/eval`,
    /** Groups that ended before their step, as long as a resume may need them. */
    pendingFolder: `${folder}/pending`,
    /** Images that environments sent, each named by its SHA-256. */
    imageFolder: `${folder}/images`,
    /** One line of results per evaluation. */
    evaluations: `${folder}/eval/results.jsonl`,
    /** What has been uploaded to OpenReward; absent when nothing was to be. */
    uploads: `${folder}/upload.jsonl`,
    /** Which notifications were sent; absent when none were. */
    notifications: `${folder}/notify.jsonl`,
    /** What tokens are counted with; absent when no prices are known. */
    prices: `${folder}/prices.json`,
    /** The tokens of all requests. */
    usage: `${folder}/usage.jsonl`,
    /** What a person marked the run and its rollouts with; absent until someone does. */
    marks: `${folder}/marks.jsonl`,
  };
}

/** The three files of one step's rollouts: a record for each, written when it ends; summaries with byte offsets; tokens. */
export function stepPaths(folder: string, step: number) {
  const stem = `${runPaths(folder).rolloutFolder}/${stepStem(step)}`;
  return { bodies: `${stem}.jsonl`, index: `${stem}.index.jsonl`, tokens: `${stem}.tokens.bin` };
}

/** What the server that a run has started for `environment` printed. */
export function serverLogPath(folder: string, environment: string): string {
  return `${folder}/${serverLogName(environment)}`;
}

/** From the run folder. */
export function serverLogName(environment: string): string {
  return `servers/${environment.replaceAll(/[^\w.-]/g, "-").replace(/^\.+/, "")}.log`;
}

export function evalPath(folder: string, step: number): string {
  return `${runPaths(folder).evalFolder}/${stepStem(step)}.jsonl`;
}

/** The token records of a step, or of the evaluations after `step` completed steps. */
export function tokensPath(folder: string, { source, step }: RolloutSet): string {
  return source === "training"
    ? stepPaths(folder, step).tokens
    : `${runPaths(folder).evalFolder}/${stepStem(step)}.tokens.bin`;
}

/** Where a resume puts what `attempt` wrote beyond the resumed step; laid out like a run folder. */
export function supersededFolder(folder: string, attempt: number): string {
  return `${supersededParent(folder)}/attempt-${attempt}`;
}

export function supersededParent(folder: string): string {
  return `${folder}/superseded`;
}

/** Attempts of which a resume set steps aside, ascending: those whose folders are there. */
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

/** The step a file in `rollouts` or `eval` belongs to; null for other names. */
export function stepOfFileName(name: string): number | null {
  const digits = /^step-(\d{6,15})\./.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

function stepStem(step: number): string {
  return `step-${String(step).padStart(6, "0")}`;
}
