/** Sends notifications about a run; neither delays nor fails it. */

import { homedir } from "node:os";
import { dirname } from "node:path";
import { errorMessage, isAppError } from "../../core/errors.ts";
import type { Notice } from "../../core/notify/notice.ts";
import { Outlet } from "../../core/notify/outlet.ts";
import { type EndedRun, RunNotices } from "../../core/notify/runNotices.ts";
import {
  addSentNotice,
  readSentNotices,
  type SentNotice,
  wasSent,
} from "../../core/notify/sentLog.ts";
import { createEventLog } from "../../core/runFolder/events.ts";
import type { RunLease } from "../../core/runFolder/runLease.ts";
import type { ProgressEvent } from "../../core/training/run/progress.ts";
import { systemClock } from "../../node/clock.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import { type NotifyPlaces, openNotifyPlaces } from "../notify/notifyPlaces.ts";
import { runEnding } from "../plan/runEnding.ts";
import type { TrainerOptions } from "../plan/runPlan.ts";
import type { RunEnd } from "../plan/types.ts";
import { loadVariables, type Variables } from "../services/variables.ts";

/** Time for the final message about the end. */
const LAST_MESSAGE_MS = 5_000;

/**
 * Does `work` with a watcher that sends the notifications configured under `notify`, and finally one about the end.
 * @throws AppError `key-missing`, `key-not-encrypted`, `config-address-invalid` before anything is done; what `work` throws
 */
export async function withNotifications(
  trainer: TrainerOptions,
  loaded: LoadedConfig,
  work: (watcher: Pick<TrainerOptions, "watch" | "onClaim">) => Promise<RunEnd>,
): Promise<RunEnd> {
  if (loaded.config.notify.length === 0) return work(trainer);
  const variables = await loadVariables(dirname(loaded.path), trainer.launchRequest);
  const notifications = new Notifications(trainer, loaded, variables);
  try {
    const end = await work({
      watch: (event) => {
        notifications.onProgress(event);
        trainer.watch(event);
      },
      onClaim: (lease) => {
        notifications.onClaim(lease);
        trainer.onClaim?.(lease);
      },
    });
    const { outcome, ending } = end;
    await notifications.close(outcome === "interrupted" ? null : { outcome, ending });
    return end;
  } catch (error) {
    const outcome = isAppError(error, "stopped") ? "stopped" : "failed";
    const ending = runEnding(error, trainer.redactor);
    // The process that has taken over the run reports its end.
    const isGone = isAppError(error, "run-taken-over");
    await notifications.close(isGone ? null : { outcome, ending });
    throw error;
  }
}

class Notifications {
  readonly #trainer: TrainerOptions;
  readonly #notices: RunNotices;
  readonly #opened: NotifyPlaces;
  #outlets: readonly Outlet[] = [];
  #past: readonly SentNotice[] = [];
  #lease: RunLease | null = null;
  /** Handles notices sequentially, starting with reading which ones were sent earlier. */
  #work: Promise<void> = Promise.resolve();

  constructor(trainer: TrainerOptions, loaded: LoadedConfig, variables: Variables) {
    this.#trainer = trainer;
    this.#notices = new RunNotices(() => trainer.controlChannel?.settings?.config ?? loaded.config);
    const runFolder = (): string | null => this.#lease?.folder ?? null;
    this.#opened = openNotifyPlaces({ ...trainer, loaded, variables, runFolder, home: homedir() });
  }

  onClaim(lease: RunLease): void {
    const isFirst = this.#lease === null;
    this.#lease = lease;
    this.#notices.claimed(lease.file.name);
    if (isFirst) this.#do(() => this.#openOutlets(lease));
  }

  onProgress(event: ProgressEvent): void {
    const notice = this.#notices.onProgress(event);
    if (notice === null) return;
    this.#do(async () => {
      const cleaned = this.#cleaned(notice);
      for (const outlet of await this.#admitting(cleaned)) outlet.send(cleaned);
    });
  }

  /** Resolves after a few seconds at most. `end` is null if there is nothing to report. */
  async close(end: EndedRun | null): Promise<void> {
    const notice = end === null ? null : this.#notices.onEnd(end);
    this.#do(() => this.#close(notice));
    await this.#work;
    // A warning about the last message may have been queued behind it.
    await this.#work;
    await this.#opened.close();
  }

  #do(action: () => Promise<void>): void {
    this.#work = this.#work.then(action).catch((error: unknown) => {
      this.#trainer.log.warn("A notification failed.", { reason: errorMessage(error) });
    });
  }

  async #openOutlets({ files, folder }: RunLease): Promise<void> {
    this.#past = await readSentNotices(files, folder).catch(() => []);
    const past = this.#past;
    this.#outlets = this.#opened.places.map(({ name, on, send }) => {
      const onFailure = (reason: string): void => this.#warn(name, reason);
      return new Outlet({ on, send, clock: systemClock, past, onFailure });
    });
  }

  async #close(notice: Notice | null): Promise<void> {
    const last = notice === null ? null : this.#cleaned(notice);
    const admitting = last === null ? [] : await this.#admitting(last);
    const closing = this.#outlets.map((outlet) =>
      outlet.close(admitting.includes(outlet) ? last : null, LAST_MESSAGE_MS),
    );
    await Promise.all(closing);
  }

  /** The outlets that may send the notice, recorded in the run folder first; empty if it was sent before a resume. */
  async #admitting(notice: Notice): Promise<readonly Outlet[]> {
    if (wasSent(notice, this.#past)) return [];
    const sent = sentNotice(notice);
    const admitting = this.#outlets.filter((outlet) => outlet.admit(notice, sent));
    if (admitting.length === 0 || this.#lease === null) return [];
    const { files, folder } = this.#lease;
    // If the disk is full, the message is sent anyway and a resume may repeat it.
    await addSentNotice(files, folder, sent).catch(() => undefined);
    return admitting;
  }

  #cleaned(notice: Notice): Notice {
    return this.#trainer.redactor.redactRecord(notice);
  }

  #warn(name: string, why: string): void {
    const { log, redactor, watch } = this.#trainer;
    const reason = redactor.redact(why);
    const message = `${name} did not take a message about this run: ${reason}. The run itself is not affected.`;
    log.warn("A message about the run was not delivered.", { place: name, reason });
    watch({ kind: "warning", message });
    if (this.#lease === null) return;
    const { files: fileSystem, folder, file } = this.#lease;
    const { attempt } = file;
    const events = createEventLog({ fileSystem, clock: systemClock, redactor, folder, attempt });
    const event = {
      step: null,
      level: "warn",
      kind: "notification-failed",
      message,
      data: {},
    } as const;
    this.#do(() => events.record(event));
  }
}

function sentNotice({ key, isEnd, facts }: Notice): SentNotice {
  return { timeMs: systemClock.now(), key, isEnd, step: facts.step };
}
