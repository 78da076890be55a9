/** Finds repeated steps of a resume whose rows W&B already has unchanged. */

import type { FolderFiles, Sha256 } from "../../../ports.ts";
import { runPaths, supersededAttempts, supersededFolder } from "../../../runFolder/files/layout.ts";
import { readLines } from "../../../runFolder/files/lineReader.ts";
import { flattenMetrics, type MetricsRow } from "../../../runFolder/metrics/metricsTree.ts";
import { isAnyRow } from "../../../runFolder/reader.ts";
import type { SyncCursor } from "../../../runFolder/wandbState.ts";

export interface ReplayedStepsOptions {
  readonly fileSystem: FolderFiles;
  readonly sha256: Sha256;
  /** The run folder. */
  readonly folder: string;
}

export class ReplayedSteps {
  readonly #options: ReplayedStepsOptions;
  /** Digests of the rows that were sent and later superseded, by step. */
  #reported: ReadonlyMap<number, string> | null = null;

  constructor(options: ReplayedStepsOptions) {
    this.#options = options;
  }

  /** True if an equal row of this step was sent before, ignoring metrics about the attempt itself. */
  async isReported(row: MetricsRow, { sent }: SyncCursor): Promise<boolean> {
    if (Object.values(sent).every((last) => last < row.step)) return false;
    this.#reported ??= await this.#read(sent, attemptOf(row));
    return this.#reported.get(row.step) === this.#digest(row);
  }

  /** Digests of the rows that earlier attempts sent; the later row if a step was sent twice. */
  async #read(sent: SyncCursor["sent"], attempt: number): Promise<ReadonlyMap<number, string>> {
    const { fileSystem, folder } = this.#options;
    const reported = new Map<number, string>();
    for (const earlier of await supersededAttempts(fileSystem, folder)) {
      if (earlier >= attempt) break;
      const path = runPaths(supersededFolder(folder, earlier)).metrics;
      for await (const { value } of readLines(fileSystem, path)) {
        if (!isAnyRow(value) || value.step > (sent[attemptOf(value)] ?? -1)) continue;
        reported.set(value.step, this.#digest(value));
      }
    }
    return reported;
  }

  #digest(row: MetricsRow): string {
    const entries = Object.entries(flattenMetrics(row)).filter(([name]) => !isOfItsAttempt(name));
    return this.#options.sha256(JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1))));
  }
}

/** The attempt that wrote a row. */
export function attemptOf(row: MetricsRow): number {
  const attempt = flattenMetrics(row)["progress/attempt"];
  return typeof attempt === "number" ? attempt : 1;
}

/**
 * Metrics about the attempt itself: its number, faults and capacity limits of services, machine load, and token counts, which
 * vary with retried rollouts and the service's cache.
 */
const OF_ITS_ATTEMPT =
  /^(progress\/attempt$|capacity\/|client\/|tokens\/|cost\/|budget\/|async\/queue_ready$|alarm\/event_loop_lag$|rollout\/(attempts|stream_breaks)\/)/;

function isOfItsAttempt(name: string): boolean {
  const parts = name.split("/");
  return OF_ITS_ATTEMPT.test(name) || parts.some((part) => part === "time" || part.endsWith("_s"));
}
