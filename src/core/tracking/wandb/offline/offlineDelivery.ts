/** Writes a run to files for `wandb sync` while it is running: one file per attempt, without duplicates. */

import type { SyncCursor } from "../../../runFolder/wandbState.ts";
import {
  CONFIG_FILE,
  type DeliveryProgress,
  RunReporter,
  type TrackerDeliveryOptions,
} from "../run/runReporter.ts";
import { type OfflineRun, offlinePath, openOfflineRun } from "./offlineRun.ts";

const IDLE_MS = 3_600_000;

export class OfflineDelivery {
  readonly #options: TrackerDeliveryOptions;
  readonly #reporter: RunReporter;
  #isOpened = false;

  constructor(options: TrackerDeliveryOptions) {
    this.#options = options;
    this.#reporter = new RunReporter(options, "offline");
  }

  get reporter(): Pick<RunReporter, "forgetConfig" | "waiting"> {
    return this.#reporter;
  }

  /** Resolves when everything is written and the run has ended; creates no file if there are no new rows. @throws AppError `disk` */
  async run(): Promise<void> {
    const { idleSleep, clock, exitCode, signal, feed } = this.#options;
    const startedAtMs = clock.now();
    const cursor = await this.#startCursor();
    let run: OfflineRun | null = null;
    for (;;) {
      signal.throwIfAborted();
      // Read before the rows, because the last rows are written before it is set.
      const code = exitCode();
      if (run === null && (await feed.hasRow(cursor))) run = await this.#open(cursor, startedAtMs);
      if (run !== null && (await this.#reporter.reportNext(run, progressOf(run)))) continue;
      if (code !== null) return run?.finish(code);
      await idleSleep.sleep(clock, IDLE_MS);
    }
  }

  async #open(cursor: SyncCursor, startedAtMs: number): Promise<OfflineRun> {
    const { syncState, feed, folder, init, report } = this.#options;
    await syncState.confirm("offline", cursor);
    const { config, text } = await this.#reporter.readConfig();
    const isResumed = cursor.next > 0 || cursor.step > 0;
    const run = await openOfflineRun(
      { ...this.#options, parent: parentOf(folder) },
      { ...init, config },
      { nextStep: cursor.step, runtimeS: cursor.runtimeS, startedAtMs, isResumed },
    );
    // A sync replaces the server's summary with the one in the file.
    await feed.restoreSummary(cursor, (values) => run.runSummary.restore(values));
    await run.addFile(CONFIG_FILE, text);
    await run.flush();
    if (!this.#isOpened) report.opened(openedText(run));
    this.#isOpened = true;
    return run;
  }

  /** The cursor after earlier deliveries; truncates a file with an incomplete end to its last complete part. */
  async #startCursor(): Promise<SyncCursor> {
    const { syncState, fileSystem, folder } = this.#options;
    const sent = syncState.confirmed("online");
    const confirmed = syncState.confirmed("offline");
    const pending = syncState.pending("offline");
    const file = pending?.file ?? null;
    let cursor = confirmed;
    if (pending !== null && file !== null) {
      const path = offlinePath(`${parentOf(folder)}/${file.folder}`, syncState.runId);
      const size = (await fileSystem.size(path)) ?? 0;
      if (size >= file.size) cursor = pending;
      else if (confirmed.file?.folder === file.folder && size > confirmed.file.size) {
        await fileSystem.truncate(path, confirmed.file.size);
      }
    }
    return sent.next > cursor.next ? { ...sent, file: null } : cursor;
  }
}

function progressOf(run: OfflineRun): () => DeliveryProgress {
  return () => ({
    runSummary: run.runSummary,
    cursor: { file: { folder: nameOf(run), size: run.size } },
  });
}

/** Omits the run folder's path, which contains the user name. */
function openedText(run: OfflineRun): string {
  return `written to the run folder. To send it, run \`wandb sync wandb/${nameOf(run)}\` there.`;
}

function nameOf({ folder }: OfflineRun): string {
  return folder.slice(folder.lastIndexOf("/") + 1);
}

function parentOf(runFolder: string): string {
  return `${runFolder}/wandb`;
}
