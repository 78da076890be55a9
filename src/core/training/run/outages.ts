/** What a run does while no environment can be played: reports why, saves the last step, pauses, and eventually gives up. */

import { formatDuration, formatQuantity } from "../../../shared/format.ts";
import type { Config } from "../../config/fields/schema.ts";
import { AppError, errorMessage } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import {
  type EnvironmentGate,
  type Outage,
  PROBE_EVERY_MS,
} from "../../rollout/environmentGate.ts";
import { isRefusal } from "../../rollout/faults.ts";
import { OPENREWARD_SESSIONS_URL } from "../../services.ts";
import { raceAbort, timeoutError, withLimit } from "../../util/abort.ts";
import { oneLine, withoutEnd } from "../../util/textEdges.ts";
import { environmentOf, limitsOf, type PlayContext } from "./context.ts";
import { type Report, report } from "./report.ts";

type Limits = Readonly<Record<Outage["why"], number>>;

const HALF_HOUR_MS = 30 * 60_000;
const HOUR_MS = 2 * HALF_HOUR_MS;
/** How long an environment may be unavailable before the run reports it, and pauses if it has nothing else to play. */
const PAUSE_AFTER_MS: Limits = { failing: 0, unpaid: 0, full: HALF_HOUR_MS };
/** How long an environment may be unavailable before the run ends, to be resumed later. */
const GIVE_UP_AFTER_MS: Limits = { failing: HALF_HOUR_MS, unpaid: HOUR_MS, full: HOUR_MS };
/** How often the run checks its environments. */
const CHECK_EVERY_MS = 1_000;
/** Time limit for a reachable Tinker service to respond. */
const ANSWER_LIMIT_MS = 10_000;

interface AwaitedWork {
  /** The current step, or the completed steps before an evaluation. */
  readonly step: number;
  /** Called after each pause with its length. */
  readonly onPaused?: ((ms: number) => void) | undefined;
}

interface UnavailableEnvironment {
  readonly name: string;
  readonly gate: EnvironmentGate;
  readonly outage: Outage;
}

/**
 * Runs work that waits for rollouts or environments, and pauses the run while none can be played. The work must obey the signal.
 * @throws AppError `run-capacity`, or the environment's error, when one is unavailable for too long
 */
export async function pauseUntilAvailable<T>(
  context: PlayContext,
  awaited: AwaitedWork,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const failing = new AbortController();
  const watching = new OutageWatch(context, awaited, ending.signal)
    .follow()
    .catch((error: unknown) => failing.abort(error));
  try {
    return await work(AbortSignal.any([context.control.signal, failing.signal]));
  } finally {
    ending.abort();
    await watching;
  }
}

class OutageWatch {
  readonly #context: PlayContext;
  readonly #awaited: AwaitedWork;
  /** Aborted when the work is done. */
  readonly #over: AbortSignal;
  #hasSaved = false;

  constructor(context: PlayContext, awaited: AwaitedWork, over: AbortSignal) {
    this.#context = context;
    this.#awaited = awaited;
    this.#over = over;
  }

  /** Watches until the work is done. @throws AppError as {@link pauseUntilAvailable}; the reason of a stop */
  async follow(): Promise<void> {
    for (;;) {
      await this.#rest();
      await this.#reportEnded();
      if (this.#over.aborted) return;
      const unavailable = this.#unavailable();
      await this.#reportBegun(unavailable);
      const isDue = this.#leftMs(unavailable, PAUSE_AFTER_MS) <= 0;
      if (isDue && this.#context.limits.rollouts.active === 0) await this.#pause(unavailable);
    }
  }

  #unavailable(): readonly UnavailableEnvironment[] {
    return [...this.#context.services.environments].flatMap(([name, { gate }]) => {
      const { outage } = gate;
      return outage === null ? [] : [{ name, gate, outage }];
    });
  }

  /** Time until the first of them exceeds the limit for its kind of outage. */
  #leftMs(unavailable: readonly UnavailableEnvironment[], limits: Limits): number {
    const endsMs = unavailable.map(({ outage: { why, sinceMs } }) => sinceMs + limits[why]);
    return Math.min(...endsMs) - this.#context.ports.clock.monotonic();
  }

  /** Resolves with false when it is time to check again, or with true on a command to pause or continue. */
  async #rest(): Promise<boolean> {
    const { control, ports } = this.#context;
    try {
      return await control.waitForRequest(ports.clock, CHECK_EVERY_MS, this.#over);
    } catch (error) {
      if (!this.#over.aborted) throw error;
      return false;
    }
  }

  /** Pauses the run until any of these environments is available or the work is done. */
  async #pause(unavailable: readonly UnavailableEnvironment[]): Promise<void> {
    const { pauses, ports, reporting } = this.#context;
    const { onPaused, step } = this.#awaited;
    const startedMs = ports.clock.monotonic();
    try {
      await pauses.during(async () => {
        await reporting.enterPhase("paused");
        reporting.watch({ kind: "paused", step });
        await this.#save();
        const isOut = ({ gate }: UnavailableEnvironment) => gate.outage !== null;
        while (!this.#over.aborted && unavailable.every(isOut)) await this.#waitFor(unavailable);
      });
    } finally {
      onPaused?.(ports.clock.monotonic() - startedMs);
    }
    await reporting.enterPhase("running");
    reporting.watch({ kind: "continued", step });
  }

  async #waitFor(unavailable: readonly UnavailableEnvironment[]): Promise<void> {
    const { control } = this.#context;
    const retryNow = () => {
      for (const { gate } of unavailable) gate.retryNow();
    };
    if (control.isPausing) {
      for (const { gate } of unavailable) gate.pauseProbes();
      await control.pauseOver();
      retryNow();
    }
    if (this.#leftMs(this.#unavailable(), GIVE_UP_AFTER_MS) <= 0) {
      throw giveUpError(this.#context, unavailable);
    }
    const isRequested = await this.#rest();
    if (isRequested && !control.isPausing) retryNow();
  }

  /** Saves only if the Tinker service responds: a save that fails would lose the model, while waiting loses nothing. */
  async #save(): Promise<void> {
    const { control, ports, reporting, services } = this.#context;
    if (this.#hasSaved || this.#awaited.step === 0 || !control.canSave) return;
    this.#hasSaved = true;
    const limitMs = ANSWER_LIMIT_MS;
    const onLimit = (): AppError => timeoutError("The service's answer", limitMs);
    try {
      await withLimit({ clock: ports.clock, limitMs, onLimit }, ({ signal }) =>
        raceAbort(services.service.capabilities(), signal),
      );
    } catch (error) {
      reporting.log.warn("The last step is not saved now.", { reason: errorMessage(error) });
      return;
    }
    await control.saveNow();
  }

  /** Reports each outage once, however many wait for it, when it has lasted for the limit of its kind. */
  async #reportBegun(unavailable: readonly UnavailableEnvironment[]): Promise<void> {
    const { step } = this.#awaited;
    for (const environment of unavailable) {
      const { name, gate, outage } = environment;
      const isDue = this.#leftMs([environment], PAUSE_AFTER_MS) <= 0;
      if (!isDue || gate.reported !== null) continue;
      gate.reported = outage;
      const { why } = outage;
      const giveUp = waitText(GIVE_UP_AFTER_MS[why] - PAUSE_AFTER_MS[why]);
      await reportFor(this.#context, name, {
        step,
        level: "warn",
        kind: why === "full" ? "capacity-paused" : "circuit-open",
        message: `${outageText(this.#context, environment)} The run waits in step ${step + 1} and tries again every ${waitText(PROBE_EVERY_MS)}, or as soon as you continue it; the run gives up in ${giveUp}.`,
      });
    }
  }

  async #reportEnded(): Promise<void> {
    const { step } = this.#awaited;
    for (const [name, { gate }] of this.#context.services.environments) {
      const { reported } = gate;
      if (reported === null || gate.outage?.why === reported.why) continue;
      gate.reported = null;
      const { sinceMs } = reported;
      const after = formatDuration((this.#context.ports.clock.monotonic() - sinceMs) / 1000);
      const message = `${name} can be played again after ${after}.`;
      const event = { step, level: "info", kind: "circuit-closed", message } as const;
      await reportFor(this.#context, name, event);
    }
  }
}

function giveUpError(
  context: PlayContext,
  unavailable: readonly UnavailableEnvironment[],
): AppError {
  const isFailing = ({ outage }: UnavailableEnvironment) => outage.why !== "full";
  const first = unavailable.find(isFailing) ?? unavailable[0];
  if (first === undefined) return new AppError("run-capacity", "No environment is available.");
  const { name, gate, outage } = first;
  const { why, fault } = outage;
  const message = `${outageText(context, first)} The run waited for ${waitText(GIVE_UP_AFTER_MS[why])} and has skipped no task. It is saved; when ${name} can be played again, ${continueStep(context)}.`;
  if (why !== "full") {
    return new AppError(fault.code, message, { cause: fault, data: fault.data });
  }
  const value = fewerSessions(context.config, name, gate);
  const path = ["environments", name, "max_concurrency"];
  return new AppError("run-capacity", message, {
    cause: fault,
    configPath: maxConcurrencyKey(name),
    data: { edits: value === null ? [] : [{ path, value }] },
  });
}

/** A standalone evaluation or collection trains no model and is continued by starting it again. */
function continueStep({ services }: PlayContext): string {
  return "client" in services ? "resume the run" : "start it again in the same way";
}

/** What is wrong, and what may help. */
function outageText(context: PlayContext, { name, gate, outage }: UnavailableEnvironment): string {
  const { fault, why } = outage;
  const reason = `${withoutEnd(oneLine(fault.message), /[.\s]/)}.`;
  if (why === "full") {
    const fewer = fewerSessions(context.config, name, gate);
    const advice = fewer === null ? "" : ` Lower ${maxConcurrencyKey(name)} to ${fewer}.`;
    return `${name} is full and has refused every session: ${reason} Its owner can allow more sessions; other runs that use it also take sessions.${advice}`;
  }
  if (why === "unpaid") return `${name} cannot be played: ${reason}`;
  if (isRefusal(fault)) {
    return `${name} no longer accepts the run's sessions: ${reason} Correct the key or the name; the run reads a new key when you stop and resume it.`;
  }
  const { address } = environmentOf(context, name).remote;
  const isEmbedded = name.startsWith("local/");
  const server = isEmbedded
    ? "the embedded environments' server"
    : `the environments' server at ${address}`;
  const isOwn = !isEmbedded && !address.startsWith(OPENREWARD_SESSIONS_URL);
  const step = isOwn
    ? "Start the server again or repair the connection."
    : isEmbedded
      ? `Stop and ${continueStep(context)}; that also starts the server again.`
      : "Check the network and the status of OpenReward.";
  return `${name} cannot be played, because ${server} failed: ${reason} ${step}`;
}

/** Reports environments that did not accept all requested sessions; false when all did. */
export async function reportCapacity(context: PlayContext, step: number): Promise<boolean> {
  const { config, services } = context;
  let hasReported = false;
  for (const [name, { gate }] of services.environments) {
    const { peak, demand, rejections, waitS } = gate.stats;
    const requested = Math.min(demand, requestedSessions(config, name));
    if (rejections === 0 || peak === 0 || peak >= requested) continue;
    const fewer = fewerSessions(config, name, gate);
    const advice =
      fewer === null ? "that cost" : `set ${maxConcurrencyKey(name)}: ${fewer} to save`;
    const message = `${name} accepted ${formatQuantity(peak, "concurrent session")} of the ${requested} that the run requested; ${advice} ${formatQuantity(rejections, "refusal")} and ${formatDuration(waitS)} of waiting, over all rollouts.`;
    const data = { peak, requested, rejections };
    await reportFor(context, name, {
      step,
      level: "info",
      kind: "capacity-summary",
      message,
      data,
    });
    hasReported = true;
  }
  return hasReported;
}

/** A lower value for `max_concurrency`; null for an environment that is only evaluated or accepted all sessions. */
function fewerSessions(config: Config, name: string, gate: EnvironmentGate): number | null {
  const value = Math.max(1, gate.stats.peak);
  const isOwn = config.environments[name] !== undefined;
  return isOwn && value < requestedSessions(config, name) ? value : null;
}

function maxConcurrencyKey(name: string): string {
  return `environments.${name}.max_concurrency`;
}

/** Concurrent sessions of an environment that the configuration asks for. */
export function requestedSessions(config: Config, name: string): number {
  return Math.min(
    limitsOf(config).rollouts,
    config.environments[name]?.max_concurrency ?? Number.POSITIVE_INFINITY,
  );
}

async function reportFor(context: PlayContext, environment: string, event: Report): Promise<void> {
  const data: JsonObject = { environment, ...event.data };
  await report(context.reporting, { ...event, data });
}

function waitText(ms: number): string {
  return ms < 60_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
