/** The messages and events of a run about environments that are full or fail. */

import { formatDuration, formatQuantity } from "../../../shared/format.ts";
import type { Config } from "../../config/fields/schema.ts";
import { AppError, errorMessage } from "../../errors.ts";
import { CIRCUIT_RETRY_MS } from "../../rollout/circuitBreaker.ts";
import type { EnvironmentGate } from "../../rollout/environmentGate.ts";
import { isRefusal } from "../../rollout/faults.ts";
import type { GateEvent, Unavailability } from "../../rollout/gateEvents.ts";
import { oneLine, withoutEnd } from "../../util/textEdges.ts";
import { environmentOf, limitsOf, type PlayContext } from "./context.ts";
import { type Report, report } from "./report.ts";

type Limits = Readonly<Record<Unavailability["why"], number>>;

const HALF_HOUR_MS = 30 * 60_000;
/** Time that an environment may be unavailable before the run pauses for it. */
export const PAUSE_AFTER_MS: Limits = { failing: 0, full: HALF_HOUR_MS };
/** Time that an environment may be unavailable before the run ends, to be resumed later. */
export const GIVE_UP_AFTER_MS: Limits = { failing: HALF_HOUR_MS, full: 2 * HALF_HOUR_MS };

/** An environment that the run waits for. */
export interface UnavailableEnvironment {
  readonly name: string;
  readonly gate: EnvironmentGate;
  readonly unavailability: Unavailability;
}

interface Place {
  readonly name: string;
  /** The step under way. */
  readonly step: number;
}

/** Reports the events of a gate; nothing waits for the report. */
export function reportGateEvent(context: PlayContext, place: Place, event: GateEvent): void {
  reportEvent(context, place, event).catch((error: unknown) =>
    context.reporting.log.warn("An event could not be written.", { reason: errorMessage(error) }),
  );
}

async function reportEvent(context: PlayContext, place: Place, event: GateEvent): Promise<void> {
  const { name } = place;
  if (event.kind === "limit") return reportLimit(context, place, event.limit);
  const { unavailability } = event;
  if (unavailability.why === "full") return;
  if (event.kind === "unavailable") {
    const message = `${failingText(context, name, unavailability)} ${nextText(place, unavailability)}`;
    return reportFor(context, place, { level: "warn", kind: "circuit-open", message });
  }
  const after = formatDuration((context.ports.clock.monotonic() - unavailability.sinceMs) / 1000);
  const message = `${name} can be played again after ${after}.`;
  return reportFor(context, place, { level: "info", kind: "circuit-closed", message });
}

function failingText(context: PlayContext, name: string, { fault }: Unavailability): string {
  const reason = asSentence(fault.message);
  if (isRefusal(fault)) return `${name} no longer accepts the run's sessions: ${reason}`;
  return `${name} cannot be played, because ${serverOf(context, name)} failed: ${reason}`;
}

function serverOf(context: PlayContext, name: string): string {
  if (name.startsWith("local/")) return "the embedded environments' server";
  return `the environments' server at ${environmentOf(context, name).remote.address}`;
}

function nextText({ step }: Place, { fault }: Unavailability): string {
  const remedy = isRefusal(fault)
    ? "Correct the key or the name; the run reads a new key when you stop and resume it."
    : "Start the server again or repair the connection.";
  const giveUp = waitText(GIVE_UP_AFTER_MS.failing);
  return `${remedy} The run waits in step ${step + 1} and tries again every ${waitText(CIRCUIT_RETRY_MS)}, or as soon as you continue it; the run gives up in ${giveUp}.`;
}

async function reportLimit(context: PlayContext, place: Place, limit: number): Promise<void> {
  const { name } = place;
  const { peak } = environmentOf(context, name).gate.stats;
  const requested = requestedSessions(context.config, name);
  if (limit >= requested) return;
  const message = `${name} does not accept ${formatQuantity(requested, "session")} at once: the run asks for at most ${limit} now, and tries more again while none is refused.`;
  const data = { limit, requested, peak };
  await reportFor(context, place, { level: "info", kind: "capacity-limit", message, data });
}

/** Reports the environments that have been full for so long that the run pauses. */
export async function reportCapacityPause(
  context: PlayContext,
  step: number,
  unavailable: readonly UnavailableEnvironment[],
): Promise<void> {
  for (const { name, gate, unavailability } of unavailable) {
    if (unavailability.why !== "full") continue;
    const endsIn = waitText(GIVE_UP_AFTER_MS.full - PAUSE_AFTER_MS.full);
    const message = `${fullText(context, name, gate, PAUSE_AFTER_MS.full)} The run is paused and keeps trying. It continues by itself as soon as ${name} opens a session, or ends in ${endsIn}; then you can resume it.`;
    const data = { edits: editsFor(context.config, name, gate) };
    const event = { level: "warn", kind: "capacity-paused", message, data } as const;
    await reportFor(context, { name, step }, event);
  }
}

/** Reports at the end of a run the environments that did not accept all sessions that it asked for. */
export async function reportCapacitySummary(context: PlayContext, step: number): Promise<void> {
  for (const [name, { gate }] of context.services.environments) {
    const { peak, rejections, waitS } = gate.stats;
    const requested = requestedSessions(context.config, name);
    if (rejections === 0 || peak === 0 || peak >= requested) continue;
    const edits = editsFor(context.config, name, gate);
    const cost = `${formatQuantity(rejections, "refusal")} and ${formatDuration(waitS)} of waiting, over all rollouts`;
    const advice =
      edits.length > 0 ? `set ${maxConcurrencyKey(name)}: ${peak} to save` : "that cost";
    const message = `${name} accepted ${formatQuantity(peak, "session")} at once of the ${requested} that the run requested; ${advice} ${cost}.`;
    const data = { peak, requested, rejections, edits };
    const event = { level: "info", kind: "capacity-summary", message, data } as const;
    await reportFor(context, { name, step }, event);
  }
}

/** Why the run cannot wait any longer: AppError `run-capacity`, or the code of what an environment fails with. */
export function giveUpError(
  context: PlayContext,
  unavailable: readonly UnavailableEnvironment[],
): AppError {
  const first =
    unavailable.find(({ unavailability }) => unavailability.why === "failing") ?? unavailable[0];
  if (first === undefined) return new AppError("run-capacity", "No environment is available.");
  const { name, gate, unavailability } = first;
  const { why, fault } = unavailability;
  const waited = `The run waited for ${waitText(GIVE_UP_AFTER_MS[why])} and has skipped no task.`;
  if (why === "full") {
    return new AppError(
      "run-capacity",
      `${fullText(context, name, gate, GIVE_UP_AFTER_MS.full)} The run is saved; resume it when ${name} opens sessions again.`,
      {
        cause: fault,
        configPath: maxConcurrencyKey(name),
        data: { edits: editsFor(context.config, name, gate) },
      },
    );
  }
  const remedy = isRefusal(fault) ? "Correct the key or the name" : "Start the server again";
  return new AppError(
    fault.code,
    `${failingText(context, name, unavailability)} ${waited} ${remedy}, then resume the run.`,
    { cause: fault, data: fault.data },
  );
}

function fullText(context: PlayContext, name: string, gate: EnvironmentGate, ms: number): string {
  const { config } = context;
  const own = config.environments[name]?.max_concurrency ?? null;
  const { limit } = gate.stats;
  const [edit] = editsFor(config, name, gate);
  const advice = edit === undefined ? "" : ` Lower ${maxConcurrencyKey(name)} to ${edit.value}.`;
  const runKey =
    config.max_rollout_concurrency === null ? "max_active_tasks" : "max_rollout_concurrency";
  return `${name} has been full for ${waitText(ms)}: it refused every session. Current limits: ${runKey} ${limitsOf(config).rollouts}, ${maxConcurrencyKey(name)} ${own ?? "unset"}, lowered to ${limit} by the refusals. The owner of the environment can allow more sessions; other runs that use it also take sessions.${advice}`;
}

/** The setting that an editor can offer; none for an environment that only the evaluation names, or that accepted all sessions. */
function editsFor(config: Config, name: string, gate: EnvironmentGate) {
  const value = Math.max(1, gate.stats.peak);
  if (config.environments[name] === undefined || value >= requestedSessions(config, name))
    return [];
  return [{ path: ["environments", name, "max_concurrency"], value }];
}

function maxConcurrencyKey(name: string): string {
  return `environments.${name}.max_concurrency`;
}

/** Sessions of an environment that the configuration asks for at once. */
export function requestedSessions(config: Config, name: string): number {
  return Math.min(
    limitsOf(config).rollouts,
    config.environments[name]?.max_concurrency ?? Infinity,
  );
}

function reportFor(
  context: PlayContext,
  { step, name }: Place,
  event: Omit<Report, "step">,
): Promise<void> {
  return report(context.reporting, { ...event, step, data: { environment: name, ...event.data } });
}

function waitText(ms: number): string {
  return ms < 60_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

function asSentence(text: string): string {
  return `${withoutEnd(oneLine(text), /[.\s]/)}.`;
}
