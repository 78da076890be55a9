/** What a run does while its environments' service is out of reach: it waits, tries again, and at last gives up. */

import { formatQuantity } from "../../shared/format.ts";
import { AppError, errorMessage, isAppError } from "../errors.ts";
import type { FinishedRollout } from "../rollout/rollout.ts";
import { orAborted, tookTooLong, withLimit } from "../util/abort.ts";
import { environmentOf, type RunContext } from "./context.ts";

const PAUSES_MS = [30_000, 60_000, 120_000, 300_000];
/** As long as an environment without room is waited for. */
const GIVE_UP_MS = 30 * 60_000;
/** For the service of the weights to show that it can be reached. */
const SIGN_OF_LIFE_MS = 10_000;

/** AppError `environment-unavailable` about rollouts that could not be played; the first fault stands for all. */
export function serviceFault(context: RunContext, rollouts: readonly FinishedRollout[]): AppError {
  const names = [...new Set(rollouts.map(({ task }) => task.environment))];
  const servers = [...new Set(names.map((name) => serverOf(context, name)))].join(" and ");
  const reason = rollouts[0]?.record.error ?? "";
  const count = formatQuantity(rollouts.length, "rollout");
  return new AppError(
    "environment-unavailable",
    `${count} could not be played, because ${servers} failed: ${asSentence(reason)}`,
    { data: { environments: names } },
  );
}

function serverOf(context: RunContext, name: string): string {
  if (name.startsWith("local/")) return "the embedded environments' server";
  return `the environments' server at ${environmentOf(context, name).remote.address}`;
}

/** The tries of one piece of work of a step, or of an evaluation after so many steps. */
export class Outage {
  readonly #context: RunContext;
  readonly #step: number;
  #sinceMs: number | null = null;
  #pauses = 0;
  #waitedMs = 0;

  constructor(context: RunContext, step: number) {
    this.#context = context;
    this.#step = step;
  }

  /** In all pauses together. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** Tells that the service has answered; the next failure begins another outage. */
  over(): void {
    this.#sinceMs = null;
    this.#pauses = 0;
  }

  /** Runs `work` until it does not fail for the service's sake. @throws as {@link sitOut} */
  async outlast<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isAppError(error, "environment-unavailable")) throw error;
        await this.sitOut(error);
      }
    }
  }

  /**
   * Pauses the run, the longer the more failures there were, its last completed step saved. A wish to continue ends the pause.
   * @throws AppError `environment-unavailable` after 30 minutes; the reason of a stop
   */
  async sitOut(error: AppError): Promise<void> {
    const { clock, control, watch, enterPhase } = this.#context;
    control.signal.throwIfAborted();
    const startedMs = clock.monotonic();
    this.#sinceMs ??= startedMs;
    const leftMs = GIVE_UP_MS - (startedMs - this.#sinceMs);
    if (leftMs <= 0) throw gaveUp(error);
    const pauseMs = Math.min(PAUSES_MS[this.#pauses] ?? PAUSES_MS.at(-1) ?? 0, leftMs);
    this.#pauses += 1;
    await this.#tell(error, pauseMs, leftMs);
    await enterPhase("paused");
    watch({ kind: "paused", step: this.#step });
    const resting = control.rest(clock, pauseMs);
    // Awaited below, after the save; until then a stop must not count as a failure that nobody handles.
    resting.catch(() => undefined);
    if (this.#pauses === 1) await this.#save();
    await resting;
    if (control.isPausing) {
      await control.pauseOver();
      this.over();
    }
    this.#waitedMs += clock.monotonic() - startedMs;
    await enterPhase("running");
    watch({ kind: "continued", step: this.#step });
  }

  /**
   * Only where the service of the weights answers: a save that does not get through would cost the model, while waiting costs
   * nothing.
   */
  async #save(): Promise<void> {
    const { clock, control, log, service } = this.#context;
    if (this.#step === 0 || !control.canSave) return;
    const limitMs = SIGN_OF_LIFE_MS;
    const onLimit = (): AppError => tookTooLong("The service's answer", limitMs);
    try {
      await withLimit({ clock, limitMs, onLimit }, ({ signal }) =>
        orAborted(service.capabilities(), signal),
      );
    } catch (error) {
      log.warn("The last step is not saved now.", { reason: errorMessage(error) });
      return;
    }
    await control.saveNow();
  }

  async #tell(error: AppError, pauseMs: number, leftMs: number): Promise<void> {
    const { events, redactor, watch } = this.#context;
    const step = this.#step;
    const next = `Start the server again or mend the connection. The run waits in step ${step + 1} and tries again in ${waitText(pauseMs)}, or as soon as it is told to continue; it gives up in ${waitText(leftMs)}.`;
    const message = redactor.clean(`${error.message} ${next}`);
    await events.record({ step, level: "warn", kind: "service-unavailable", message, data: {} });
    watch({ kind: "warning", message });
  }
}

function gaveUp(error: AppError): AppError {
  return new AppError(
    "environment-unavailable",
    `${error.message} The run waited for ${waitText(GIVE_UP_MS)} and has skipped no task. Start the server again, then resume the run.`,
    { cause: error, data: error.data },
  );
}

function waitText(ms: number): string {
  return ms < 60_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

function asSentence(text: string): string {
  return `${text.replace(/\s*\n\s*/g, " ").replace(/[.\s]+$/, "")}.`;
}
