/** What a run says, in words and events, about environments that are full or fail. */

import { formatDuration, formatQuantity } from "../../shared/format.ts";
import type { Config } from "../config/schema.ts";
import { AppError, errorMessage } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { CIRCUIT_RETRY_MS } from "../rollout/circuitBreaker.ts";
import type { EnvironmentGate, GateEvent, Unavailability } from "../rollout/environmentGate.ts";
import { isRefusal } from "../rollout/faults.ts";
import { environmentOf, type RunContext } from "./context.ts";
import { report } from "./report.ts";

type Waits = Readonly<Record<Unavailability["why"], number>>;

const HALF_HOUR_MS = 30 * 60_000;
/** Time that an environment may be blocked before the run pauses for it. */
export const PAUSE_AFTER_MS: Waits = { failing: 0, full: HALF_HOUR_MS };
/** Time that an environment may be blocked before the run ends, to be resumed later. */
export const GIVE_UP_AFTER_MS: Waits = { failing: HALF_HOUR_MS, full: 2 * HALF_HOUR_MS };

/** An environment that holds the run up. */
export interface UnavailableEnvironment {
  readonly name: string;
  readonly gate: EnvironmentGate;
  readonly blockage: Unavailability;
}

interface Place {
  readonly name: string;
  /** The step under way. */
  readonly step: number;
}

/** Reports the events of a gate; nothing waits for the report. */
export function reportGateEvent(context: RunContext, place: Place, news: GateEvent): void {
  reportEvent(context, place, news).catch((error: unknown) =>
    context.log.warn("An event was not written down.", { reason: errorMessage(error) }),
  );
}

async function reportEvent(context: RunContext, place: Place, news: GateEvent): Promise<void> {
  const { name } = place;
  if (news.kind === "limit") return reportLimit(context, place, news.limit);
  const { blockage } = news;
  if (blockage.why === "full") return;
  if (news.kind === "blocked") {
    const message = `${failingText(context, name, blockage)} ${nextText(place, blockage)}`;
    return reportFor(context, place, "warn", { kind: "circuit-open", message });
  }
  const after = formatDuration((context.clock.monotonic() - blockage.sinceMs) / 1000);
  const message = news.isReachable
    ? `${name} has answered questions for ${after} while nothing could be played: what still cannot be played counts as failed.`
    : `${name} can be played again after ${after}.`;
  return reportFor(context, place, "info", { kind: "circuit-closed", message });
}

function failingText(context: RunContext, name: string, { fault }: Unavailability): string {
  const reason = asSentence(fault.message);
  if (isRefusal(fault)) return `${name} no longer lets the run in: ${reason}`;
  return `${name} cannot be played, because ${serverOf(context, name)} failed: ${reason}`;
}

function serverOf(context: RunContext, name: string): string {
  if (name.startsWith("local/")) return "the embedded environments' server";
  return `the environments' server at ${environmentOf(context, name).remote.address}`;
}

function nextText({ step }: Place, { fault }: Unavailability): string {
  const remedy = isRefusal(fault)
    ? "Correct that; the run reads a new key when you stop and resume it."
    : "Start the server again or repair the connection.";
  const giveUp = waitText(GIVE_UP_AFTER_MS.failing);
  return `${remedy} The run waits in step ${step + 1} and tries again every ${waitText(CIRCUIT_RETRY_MS)}, or as soon as it is told to continue; it gives up in ${giveUp}.`;
}

async function reportLimit(context: RunContext, place: Place, limit: number): Promise<void> {
  const { name } = place;
  const { peak: most } = environmentOf(context, name).gate.stats;
  const asked = requestedSessions(context.config, name);
  if (limit >= asked) return;
  const message = `${name} has no room for ${formatQuantity(asked, "session")} at once: the run asks for at most ${limit} now, and again for more while none is refused.`;
  await reportFor(context, place, "info", {
    kind: "capacity-limit",
    message,
    data: { environment: name, limit, asked, most },
  });
}

/** Reports the environments that have been full for so long that the run pauses. */
export async function reportCapacityPause(
  context: RunContext,
  step: number,
  blocked: readonly UnavailableEnvironment[],
): Promise<void> {
  for (const { name, gate, blockage } of blocked) {
    if (blockage.why !== "full") continue;
    const endsIn = waitText(GIVE_UP_AFTER_MS.full - PAUSE_AFTER_MS.full);
    const message = `${fullText(context, name, gate, PAUSE_AFTER_MS.full)} The run is paused and tries on; it goes on by itself as soon as there is room, or ends in ${endsIn}, to be resumed.`;
    const data = { environment: name, edits: editsFor(context.config, name, gate) };
    await reportFor(context, { name, step }, "warn", { kind: "capacity-paused", message, data });
  }
}

/** What a run says at its end about environments that had no room for all that it asked for. */
export async function reportCapacitySummary(context: RunContext, step: number): Promise<void> {
  for (const [name, { gate }] of context.environments) {
    const { peak: most, rejections, waitS } = gate.stats;
    const asked = requestedSessions(context.config, name);
    if (rejections === 0 || most === 0 || most >= asked) continue;
    const edits = editsFor(context.config, name, gate);
    const cost = `${formatQuantity(rejections, "refusal")} and ${formatDuration(waitS)} of waiting, over all rollouts`;
    const advice = edits.length > 0 ? `set ${maxConcurrencyKey(name)}: ${most} to save` : "it cost";
    const message = `${name} took ${formatQuantity(most, "session")} at once of the ${asked} asked for; ${advice} ${cost}.`;
    const data = { ...{ environment: name, most, asked, rejections }, edits };
    await reportFor(context, { name, step }, "info", { kind: "capacity-summary", message, data });
  }
}

/** Why the run cannot wait any longer: AppError `run-capacity`, or the code of what an environment fails with. */
export function giveUpError(
  context: RunContext,
  blocked: readonly UnavailableEnvironment[],
): AppError {
  const first = blocked.find(({ blockage }) => blockage.why === "failing") ?? blocked[0];
  if (first === undefined) return new AppError("run-capacity", "No environment can be played.");
  const { name, gate, blockage } = first;
  const { why, fault } = blockage;
  const waited = `The run waited for ${waitText(GIVE_UP_AFTER_MS[why])} and has skipped no task.`;
  if (why === "full") {
    return new AppError(
      "run-capacity",
      `${fullText(context, name, gate, GIVE_UP_AFTER_MS.full)} The run is saved; resume it when there is room.`,
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
    `${failingText(context, name, blockage)} ${waited} ${remedy}, then resume the run.`,
    { cause: fault, data: fault.data },
  );
}

function fullText(context: RunContext, name: string, gate: EnvironmentGate, ms: number): string {
  const { config } = context;
  const own = config.environments[name]?.max_concurrency ?? null;
  const { limit } = gate.stats;
  const [edit] = editsFor(config, name, gate);
  const advice = edit === undefined ? "" : ` Lower ${maxConcurrencyKey(name)} to ${edit.value}.`;
  const runKey =
    config.max_rollout_concurrency === null ? "max_active_tasks" : "max_rollout_concurrency";
  return `${name} has had no room for a single session for ${waitText(ms)}. In force: ${runKey} ${runLimit(config)}, ${maxConcurrencyKey(name)} ${own ?? "unset"}, lowered to ${limit} by the refusals. Its owner can raise how many sessions it holds; other runs that use it take them, too.${advice}`;
}

/** What an editor can offer; nothing for an environment that only the evaluation names, or that is asked for no more. */
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
  return Math.min(runLimit(config), config.environments[name]?.max_concurrency ?? Infinity);
}

function runLimit(config: Config): number {
  return config.max_rollout_concurrency ?? config.max_active_tasks;
}

interface EventReport {
  readonly kind: string;
  readonly message: string;
  readonly data?: JsonObject;
}

async function reportFor(
  context: RunContext,
  { step, name }: Place,
  level: "info" | "warn",
  { kind, message, data = { environment: name } }: EventReport,
): Promise<void> {
  await report(context, { step, level, kind, message, data });
}

function waitText(ms: number): string {
  return ms < 60_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

function asSentence(text: string): string {
  return `${text.replace(/\s*\n\s*/g, " ").replace(/[.\s]+$/, "")}.`;
}
