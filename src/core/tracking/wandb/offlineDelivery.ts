/** Files a run for `wandb sync` as it goes on: every attempt in a file of its own, nothing twice. */

import type { SyncCursor } from "../../runFolder/wandbState.ts";
import { type Reach, RunReporter, type TrackerDeliveryOptions } from "./delivery.ts";
import { type OfflineRun, offlinePath, openOfflineRun } from "./offlineRun.ts";

const REST_MS = 3_600_000;

export class OfflineDelivery {
  readonly #options: TrackerDeliveryOptions;
  readonly #reporter: RunReporter;
  #isOpened = false;

  constructor(options: TrackerDeliveryOptions) {
    this.#options = options;
    this.#reporter = new RunReporter(options, "offline");
  }

  get reporter(): Pick<RunReporter, "forgetConfig" | "addResults" | "waiting"> {
    return this.#reporter;
  }

  /** Resolves when everything is filed and the run has ended. @throws AppError `disk` */
  async run(): Promise<void> {
    const run = await this.#open();
    const { news, clock, exitCode, signal } = this.#options;
    const file = () => ({ folder: nameOf(run), size: run.size });
    const reach = (): Reach => ({ runSummary: run.runSummary, place: { file: file() } });
    for (;;) {
      signal.throwIfAborted();
      if (await this.#reporter.reportNext(run, reach)) continue;
      const code = exitCode();
      if (code !== null) return run.finish(code);
      await news.sleep(clock, REST_MS);
    }
  }

  async #open(): Promise<OfflineRun> {
    const { syncState, feed, folder, init, report } = this.#options;
    const place = await this.#place();
    await syncState.confirm("offline", place);
    const { config } = await this.#reporter.config();
    const isResumed = place.next > 0 || place.step > 0;
    const run = await openOfflineRun(
      { ...this.#options, parent: parentOf(folder) },
      { ...init, config },
      { nextStep: place.step, runtimeS: place.runtimeS, isResumed },
    );
    // The summary of the file is all that its sync leaves on the server.
    await feed.recall(place, (values) => run.runSummary.recall(values));
    await this.#reporter.reportConfigFile(run);
    await run.flush();
    if (!this.#isOpened) report.opened(openedText(run));
    this.#isOpened = true;
    return run;
  }

  /** Behind what was filed, or sent, before; a file that was cut off in the middle is cut back to its last whole part. */
  async #place(): Promise<SyncCursor> {
    const { syncState, fileSystem, folder } = this.#options;
    const sent = syncState.confirmed("online");
    const confirmed = syncState.confirmed("offline");
    const pending = syncState.pending("offline");
    const file = pending?.file ?? null;
    let place = confirmed;
    if (pending !== null && file !== null) {
      const path = offlinePath(`${parentOf(folder)}/${file.folder}`, syncState.runId);
      const size = (await fileSystem.size(path)) ?? 0;
      if (size >= file.size) place = pending;
      else if (confirmed.file?.folder === file.folder && size > confirmed.file.size) {
        await fileSystem.truncate(path, confirmed.file.size);
      }
    }
    return sent.next > place.next ? { ...sent, file: null } : place;
  }
}

/** Without the way to the run folder, which would name its user. */
function openedText(run: OfflineRun): string {
  return `filed in the run folder; \`wandb sync wandb/${nameOf(run)}\`, run there, sends it.`;
}

function nameOf({ folder }: OfflineRun): string {
  return folder.slice(folder.lastIndexOf("/") + 1);
}

function parentOf(runFolder: string): string {
  return `${runFolder}/wandb`;
}
