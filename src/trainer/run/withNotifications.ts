/** Notifies people elsewhere of a run: watches it, and neither delays nor fails it. */

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

/** For the message about the end, which comes last. */
const LAST_MESSAGE_MS = 5_000;

/**
 * Does `work` with a watcher that sends what `notify` asks for, then sends how it ended.
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
    // Whoever has taken the run over reports its end.
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
  /** What is done about notices, one after the other: the folder says first what was sent before. */
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

  /** Resolves after a few seconds at most. `end` is null where there is nothing to say about it. */
  async close(end: EndedRun | null): Promise<void> {
    const notice = end === null ? null : this.#notices.onEnd(end);
    this.#do(() => this.#close(notice));
    await this.#work;
    // A warning about the last message is recorded behind it.
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

  /** Those that may send it, after that is noted in the run folder; none for what was said before a resume. */
  async #admitting(notice: Notice): Promise<readonly Outlet[]> {
    if (wasSent(notice, this.#past)) return [];
    const sent = sentNotice(notice);
    const admitting = this.#outlets.filter((outlet) => outlet.admit(notice, sent));
    if (admitting.length === 0 || this.#lease === null) return [];
    const { files, folder } = this.#lease;
    // On a full disk the message is sent anyway; a resume may then repeat it.
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
