/** Parses the arguments of `chat`. */

import type { TurnPlace } from "../../api/chat.ts";
import type { GivenArguments } from "./givenArguments.ts";

export type ChatCommand = ReturnType<typeof chatCommand>;

/** More than anyone reads. */
export const MAX_SAMPLES = 64;

export function chatCommand(given: GivenArguments) {
  const target = given.only("a checkpoint, a run folder or a model");
  const turn = turnOf(given);
  const task = taskOf(given);
  const isReplayed = given.has("replay");
  if (turn !== null && task !== null) {
    throw given.error("--turn continues a rollout, which has its own task");
  }
  if (isReplayed && turn === null) throw given.error("--replay needs --turn");
  return {
    kind: "chat" as const,
    /** Checkpoints, run folders or models. */
    targets: [target, ...given.texts("beside")],
    /** Null = the run's, or the defaults. */
    configPath: given.text("config_path"),
    overrides: given.overrides,
    allowedOrigins: given.allowedOrigins(),
    task,
    turn,
    isReplayed,
    /** Replaces the configuration's system text; null = keep it. */
    system: given.text("system"),
    /** Null = as configured. */
    temperature: temperatureOf(given),
    /** Null = random. */
    seed: given.number("seed"),
    /** Maximum tokens per turn; null = as configured. */
    maxTokens: given.number("max_tokens", { least: 1 }),
    /** Number of turns to sample side by side. */
    samples: given.number("samples", { least: 1, most: MAX_SAMPLES }) ?? 1,
    wantsJson: given.has("json"),
  };
}

function taskOf(given: GivenArguments) {
  const environment = given.text("environment");
  const split = given.text("split");
  const index = given.number("task");
  if (environment === null && split === null && index === null) return null;
  return { environment, split, index: index ?? 0 };
}

/** Identifies a turn of a rollout by numbers as on screen, from 1; an evaluation's step counts from 0. */
function turnOf(given: GivenArguments): TurnPlace | null {
  const isEvaluated = given.has("eval");
  const [group, rollout, turn] = (["group", "rollout", "turn"] as const).map((flag) =>
    given.number(flag, { least: 1 }),
  );
  const step = given.number("step", { least: isEvaluated ? 0 : 1 });
  const all = [step, group, rollout, turn];
  if (!isEvaluated && all.every((number) => number === null)) return null;
  if (isEvaluated && (group !== null || step == null || rollout == null || turn == null)) {
    throw given.error("--eval needs --step, --rollout and --turn, and does not take --group");
  }
  if (step == null || rollout == null || turn == null || (group == null && !isEvaluated)) {
    throw given.error("--step, --group, --rollout and --turn must be used together");
  }
  return {
    source: isEvaluated ? "evaluation" : "training",
    step,
    group: group ?? null,
    rollout,
    turn,
  };
}

function temperatureOf(given: GivenArguments): number | null {
  const text = given.text("temperature");
  if (text === null) return null;
  const temperature = readTemperature(text);
  if (temperature !== null) return temperature;
  throw given.error(`--temperature is ${JSON.stringify(text)}, not a number from 0 to 2`);
}

/** From 0 to 2, as in a configuration; null if invalid. */
export function readTemperature(text: string): number | null {
  return /^\d*\.?\d+$/.test(text) && Number(text) <= 2 ? Number(text) : null;
}
