/** The timeline of a step or evaluation, updated as it grows without rereading rollouts. */

import { setImmediate as turn } from "node:timers/promises";
import * as z from "zod";
import type { FolderFiles } from "../../core/ports.ts";
import { readResolvedConfig } from "../../core/runFolder/files/wholeFiles.ts";
import type { RunFollower } from "../../core/runFolder/follower.ts";
import { type RolloutSummary, readBody, StoredRollouts } from "../../core/runFolder/reader.ts";
import { type RolloutTimes, rolloutTimes } from "../../core/timeline/rolloutSpans.ts";
import { stepTimeline } from "../../core/timeline/stepTimeline.ts";
import { type RolloutSet, setName } from "../../shared/rolloutSet.ts";
import { filesId } from "../../shared/runFile.ts";
import { type PackedTimeline, packTimeline } from "../../shared/timeline.ts";

/** More rows than anyone reads; steps normally have fewer. */
const MAX_ROLLOUTS = 4_096;
/** Number of bodies to read before yielding to other work. */
const BODIES_AT_ONCE = 16;

const atOnceConfig = z.object({
  max_active_tasks: z.number().nullish(),
  max_rollout_concurrency: z.number().nullish(),
});

/** The most recently requested set. */
interface OpenedSet {
  readonly name: string;
  readonly stored: StoredRollouts;
  /** Times of the rollouts read so far, by body position. */
  readonly known: Map<string, RolloutTimes>;
}

export class TimelineQuery {
  readonly #files: FolderFiles;
  readonly #follower: RunFollower;
  #opened: OpenedSet | null = null;

  constructor(files: FolderFiles, follower: RunFollower) {
    this.#files = files;
    this.#follower = follower;
  }

  async timeline(set: RolloutSet): Promise<PackedTimeline> {
    const { stored, known } = this.#open(set);
    await stored.refresh();
    const { phases, summaries } = stored;
    const rollouts = await this.#times(summaries.slice(0, MAX_ROLLOUTS), known);
    const isOver =
      set.source === "training" ? this.#isTrained(set.step) : this.#isEvaluated(set.step);
    const limits = { maxConcurrentRollouts: await this.#maxConcurrentRollouts() };
    const timeline = stepTimeline({ ...set, rollouts, phases, isOver, limits });
    return packTimeline(timeline, summaries.length - rollouts.length);
  }

  #open(set: RolloutSet): OpenedSet {
    const { runFile, folder } = this.#follower;
    const name = `${setName(set)}#${runFile && filesId(runFile)}`;
    if (this.#opened?.name === name) return this.#opened;
    const stored = new StoredRollouts(this.#files, folder, set);
    this.#opened = { name, stored, known: new Map() };
    return this.#opened;
  }

  async #times(
    summaries: readonly RolloutSummary[],
    known: OpenedSet["known"],
  ): Promise<readonly RolloutTimes[]> {
    const found: RolloutTimes[] = [];
    let read = 0;
    for (const summary of summaries) {
      const key = `${summary.group}/${summary.rollout}@${summary.offset}`;
      const times = known.get(key) ?? (await this.#readTimes(summary));
      if (times === null) continue;
      if (!known.has(key)) {
        known.set(key, times);
        read += 1;
        if (read % BODIES_AT_ONCE === 0) await turn();
      }
      found.push(times);
    }
    return found;
  }

  async #readTimes(summary: RolloutSummary): Promise<RolloutTimes | null> {
    const record = await readBody(this.#files, this.#follower.folder, summary);
    // The list of an evaluation renumbers its groups.
    return record === null ? null : rolloutTimes({ ...record, group: summary.group });
  }

  #isTrained(step: number): boolean {
    return this.#follower.metrics.steps().includes(step);
  }

  #isEvaluated(step: number): boolean {
    return this.#follower.evaluations.some((entry) => entry.step === step);
  }

  async #maxConcurrentRollouts(): Promise<number | null> {
    const stored = await readResolvedConfig(this.#files, this.#follower.folder);
    const config = atOnceConfig.safeParse(stored).data;
    return config?.max_rollout_concurrency ?? config?.max_active_tasks ?? null;
  }
}
