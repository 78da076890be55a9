/** What a run does while its environments' service is out of reach: it waits, tries again, and at last gives up. */

import { formatQuantity } from "../../shared/format.ts";
import type { RunPhase } from "../../shared/runFile.ts";
import { AppError, isAppError } from "../errors.ts";
import type { FinishedRollout } from "../rollout/rollout.ts";
import { environmentOf, type RunContext } from "./context.ts";

/** Faults that say something about the service, and nothing about the task or the model. */
const SERVICE_FAULTS: ReadonlySet<string> = new Set([
  "environment-unavailable",
  "environment-session-lost",
  "transport",
]);
const PAUSES_MS = [30_000, 60_000, 120_000, 300_000];
/** As long as an environment without room is waited for. */
const GIVE_UP_MS = 30 * 60_000;

/** True for a rollout that nothing but its environment's service has kept from being played. */
export function isServiceFailure({ facts }: Pick<FinishedRollout, "facts">): boolean {
  return facts.errorClass !== null && SERVICE_FAULTS.has(facts.errorClass);
}

/** AppError `environment-unavailable` about rollouts of which not one could be played; the first fault stands for all. */
export function serviceFault(context: RunContext, rollouts: readonly FinishedRollout[]): AppError {
  const names = new Set(rollouts.map(({ task }) => task.environment));
  const servers = [...new Set([...names].map((name) => serverOf(context, name)))].join(", ");
  const reason = rollouts[0]?.record.error ?? "";
  return new AppError(
    "environment-unavailable",
    `Not one of ${formatQuantity(rollouts.length, "rollout")} could be played, because ${servers} failed: ${asSentence(reason)}`,
    { data: { environments: [...names] } },
  );
}

function serverOf(context: RunContext, name: string): string {
  if (name.startsWith("local/")) return "the embedded environments' server";
  return `the environments' server at ${environmentOf(context, name).remote.address}`;
}

export interface OutageParts {
  /** Called when an outage begins: keeps what was done so far. */
  readonly save: () => Promise<void>;
  /** What the run goes on with after a pause. */
  readonly phase: RunPhase;
}

/** Counts the tries of one piece of work after the other; {@link over} says that one has succeeded. */
export class Outages {
  readonly #parts: OutageParts;
  #sinceMs: number | null = null;
  #pauses = 0;

  constructor(parts: OutageParts) {
    this.#parts = parts;
  }

  over(): void {
    this.#sinceMs = null;
    this.#pauses = 0;
  }

  /**
   * Runs `work` again and again until the service answers.
   * @throws AppError `environment-unavailable` after 30 minutes; what else `work` throws; the reason of a stop
   */
  async outlast<T>(context: RunContext, step: number, work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const result = await work();
        this.over();
        return result;
      } catch (error) {
        await this.sitOut(context, step, error);
      }
    }
  }

  /**
   * Pauses after a failure of the service, the longer the more there were. A wish to continue ends the pause.
   * @throws `error` when it is something else; AppError `environment-unavailable` after 30 minutes; the reason of a stop
   */
  async sitOut(context: RunContext, step: number, error: unknown): Promise<void> {
    if (!isAppError(error, "environment-unavailable")) throw error;
    const { clock, control, watch, enterPhase } = context;
    control.signal.throwIfAborted();
    const nowMs = clock.monotonic();
    this.#sinceMs ??= nowMs;
    const leftMs = GIVE_UP_MS - (nowMs - this.#sinceMs);
    if (leftMs <= 0) throw gaveUp(error);
    const pauseMs = Math.min(PAUSES_MS[this.#pauses] ?? PAUSES_MS.at(-1) ?? 0, leftMs);
    this.#pauses += 1;
    await tell(context, step, error, { pauseMs, leftMs });
    await enterPhase("paused");
    watch({ kind: "paused", step });
    const resting = control.rest(clock, pauseMs);
    // Awaited below, after the save; until then a stop must not count as a failure that nobody handles.
    resting.catch(() => undefined);
    if (this.#pauses === 1) await this.#parts.save();
    await resting;
    if (control.isPausing) {
      await control.pauseOver();
      this.over();
    }
    await enterPhase(this.#parts.phase);
    watch({ kind: "continued", step });
  }
}

async function tell(
  { events, redactor, watch }: RunContext,
  step: number,
  error: AppError,
  { pauseMs, leftMs }: { readonly pauseMs: number; readonly leftMs: number },
): Promise<void> {
  const next = `Start the server again or mend the connection. The run waits before step ${step + 1} and tries again in ${waitText(pauseMs)}, or as soon as it is told to continue; it gives up in ${waitText(leftMs)}.`;
  const message = redactor.clean(`${error.message} ${next}`);
  await events.record({ step, level: "warn", kind: "service-unavailable", message, data: {} });
  watch({ kind: "warning", message });
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
