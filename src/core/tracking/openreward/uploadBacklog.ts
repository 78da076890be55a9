/** Finds what earlier attempts at a run left to upload. */

import type { FolderFiles } from "../../ports.ts";
import { readEvaluations } from "../../runFolder/evaluationLog.ts";
import { runPaths, stepOfFileName, supersededFolder } from "../../runFolder/files/layout.ts";
import { scoredRollouts } from "../../runFolder/rollouts/scoredRollouts.ts";
import type { SentRollout, UploadedSet, UploadLogState } from "./uploadLog.ts";
import { evaluationSet, setKey, type UploadSet } from "./uploadSet.ts";

export interface UploadJob {
  /** The run folder, or one of superseded rollouts. */
  readonly root: string;
  readonly set: UploadSet;
  /** The attempt that played the set. */
  readonly attempt: number;
  /** Only these; null = all. */
  readonly ids: ReadonlySet<string> | null;
  /** Settles once the log contains the job's line. */
  readonly logged: Promise<void>;
  waiting: number;
}

export interface UploadSources {
  readonly training: boolean;
  readonly evaluations: boolean;
}

export interface BacklogOptions {
  readonly fileSystem: FolderFiles;
  /** The run folder. */
  readonly folder: string;
  readonly attempt: number;
  /** The first step of this attempt: uploads of it and later steps are repeated now. */
  readonly firstStep: number;
  readonly sources: UploadSources;
}

export interface Backlog {
  readonly jobs: readonly UploadJob[];
  /** Keys of the evaluations that are complete. */
  readonly evaluated: ReadonlySet<string>;
  /** Uploaded evaluations that a resume has moved away. */
  readonly toRepeat: readonly UploadSet[];
}

const LOGGED = Promise.resolve();

export async function findBacklog(options: BacklogOptions, log: UploadLogState): Promise<Backlog> {
  const { fileSystem, folder, sources } = options;
  const evaluations = sources.evaluations ? await readEvaluations(fileSystem, folder) : [];
  const evaluated = new Set(evaluations.map((entry) => setKey(evaluationSet(entry))));
  const jobs: UploadJob[] = [...partialUploads(options, log, evaluated)];
  if (sources.training) jobs.push(...(await trainingJobs(options, log)));
  for (const entry of evaluations) {
    const set = evaluationSet(entry);
    if (log.complete.has(setKey(set))) continue;
    const scored = entry.results.reduce((sum, { rollouts }) => sum + rollouts, 0);
    jobs.push(jobOf(options, set, log.sets.get(setKey(set)), scored));
  }
  const toRepeat = [...log.sets.values()]
    .map(({ set }) => set)
    .filter((set) => set.evaluation !== undefined && log.complete.has(setKey(set)))
    .filter((set) => !evaluated.has(setKey(set)));
  return { jobs, evaluated, toRepeat: sources.evaluations ? toRepeat : [] };
}

async function trainingJobs(
  options: BacklogOptions,
  log: UploadLogState,
): Promise<readonly UploadJob[]> {
  const { fileSystem, folder, firstStep } = options;
  const names = await fileSystem.list(runPaths(folder).rolloutFolder);
  const steps = new Set(names.flatMap((name) => stepOfFileName(name) ?? []));
  const jobs: UploadJob[] = [];
  for (const step of [...steps].sort((a, b) => a - b)) {
    const key = setKey({ step });
    if (step >= firstStep || log.complete.has(key)) continue;
    const scored = await scoredRollouts(fileSystem, folder, step);
    jobs.push(jobOf(options, { step }, log.sets.get(key), scored.length));
  }
  return jobs;
}

function jobOf(
  { folder: root, attempt }: BacklogOptions,
  set: UploadSet,
  known: UploadedSet | undefined,
  scored: number,
): UploadJob {
  const sent = [...(known?.rollouts.values() ?? [])].filter((each) => each.at(-1)?.isWhole);
  const waiting = Math.max(0, scored - sent.length);
  const playedBy = known?.attempt ?? Math.max(1, attempt - 1);
  return { root, set, attempt: playedBy, ids: null, logged: LOGGED, waiting };
}

/** Superseded rollouts that may have arrived in part. Their upload is completed, so that the service keeps no partial rollouts. */
function partialUploads(
  { folder, firstStep, sources }: BacklogOptions,
  log: UploadLogState,
  evaluated: ReadonlySet<string>,
): readonly UploadJob[] {
  return [...log.sets.values()].flatMap(({ set, attempt, rollouts }) => {
    const isEvaluation = set.evaluation !== undefined;
    if (!(isEvaluation ? sources.evaluations : sources.training)) return [];
    const isRepeated = isEvaluation ? !evaluated.has(setKey(set)) : set.step >= firstStep;
    const isOld = (sent: SentRollout): boolean =>
      !sent.isWhole && (isRepeated || sent.attempt < (attempt ?? 0));
    const old = [...rollouts.values()].flat().filter(isOld);
    return old.map(({ id, attempt: playedBy }): UploadJob => {
      const root = supersededFolder(folder, playedBy);
      return { root, set, attempt: playedBy, ids: new Set([id]), logged: LOGGED, waiting: 1 };
    });
  });
}
