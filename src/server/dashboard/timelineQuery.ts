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
import { type PackedTimeline, packTimeline } from "../../shared/timeline.ts";

/** More rows than anyone reads; steps normally have fewer. */
const MAX_ROLLOUTS = 4_096;
/** Number of bodies to read before yielding to other work. */
const BODIES_AT_ONCE = 16;

const atOnceConfig = z.object({
  max_active_tasks: z.number().nullish(),
  max_rollout_concurrency: z.number().nullish(),
});

export class TimelineQuery {
  readonly #files: FolderFiles;
  readonly #follower: RunFollower;
  /** Times from the most recently requested set, by body position. */
  #known = new Map<string, RolloutTimes>();
  #stored: { readonly name: string; readonly rollouts: StoredRollouts } | null = null;

  constructor(files: FolderFiles, follower: RunFollower) {
    this.#files = files;
    this.#follower = follower;
  }

  async timeline(set: RolloutSet): Promise<PackedTimeline> {
    const stored = this.#open(set);
    await stored.refresh();
    const { phases, summaries } = stored;
    const rollouts = await this.#times(summaries.slice(0, MAX_ROLLOUTS));
    const isOver =
      set.source === "training" ? this.#isTrained(set.step) : this.#isEvaluated(set.step);
    const limits = { maxConcurrentRollouts: await this.#maxConcurrentRollouts() };
    const timeline = stepTimeline({ ...set, rollouts, phases, isOver, limits });
    return packTimeline(timeline, summaries.length - rollouts.length);
  }

  #open(set: RolloutSet): StoredRollouts {
    const { runFile, folder } = this.#follower;
    const name = `${setName(set)}#${runFile?.generation ?? 0}`;
    if (this.#stored?.name === name) return this.#stored.rollouts;
    this.#known = new Map();
    const rollouts = new StoredRollouts(this.#files, folder, set);
    this.#stored = { name, rollouts };
    return rollouts;
  }

  async #times(summaries: readonly RolloutSummary[]): Promise<readonly RolloutTimes[]> {
    const known = this.#known;
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
