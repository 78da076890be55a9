/** Understands the words behind `chat`. */

import type { TurnPlace } from "../../shared/chat.ts";
import type { ChatRequest } from "../../trainer/chat/openChat.ts";
import {
  lastValue,
  numberOf,
  refuseFurther,
  type Sending,
  sending,
  type WithOverrides,
} from "./argumentValues.ts";
import { argumentError, type ParsedFlags } from "./flags.ts";

/** Talks to a model. */
export interface ChatCommand extends WithOverrides, Sending {
  readonly kind: "chat";
  /** Checkpoints, run folders or models; at least one. */
  readonly targets: readonly string[];
  /** Null = that of the run, or the defaults. */
  readonly configPath: string | null;
  readonly task: ChatRequest["task"];
  readonly turn: TurnPlace | null;
  readonly isReplayed: boolean;
  /** Instead of the configuration's system text; null = that one. */
  readonly system: string | null;
  /** Null = that of the configuration. */
  readonly temperature: number | null;
  /** Null = any. */
  readonly seed: number | null;
  /** Most tokens of a turn; null = that of the configuration. */
  readonly maxTokens: number | null;
  /** Turns that are sampled side by side, at least 1. */
  readonly samples: number;
  readonly wantsJson: boolean;
}

const COMMAND = "chat";
/** More than anybody reads. */
export const MAX_SAMPLES = 64;

/** @throws AppError `bad-arguments` */
export function chatCommand(given: ParsedFlags): ChatCommand {
  const [target, ...further] = given.positionals;
  if (target === undefined)
    throw argumentError("chat needs a checkpoint, a run folder or a model", COMMAND);
  refuseFurther(further, COMMAND);
  const turn = turnOf(given);
  const task = taskOf(given);
  const isReplayed = given.switches.has("replay");
  if (turn !== null && task !== null) {
    throw argumentError("--turn continues a rollout, which has its own task", COMMAND);
  }
  if (isReplayed && turn === null) throw argumentError("--replay needs --turn", COMMAND);
  return {
    kind: COMMAND,
    targets: [target, ...(given.values.get("beside") ?? [])],
    configPath: lastValue(given, "config_path") ?? null,
    overrides: given.overrides,
    ...sending(given, COMMAND),
    task,
    turn,
    isReplayed,
    system: lastValue(given, "system") ?? null,
    temperature: temperatureOf(given),
    seed: numberOf(given, COMMAND, "seed"),
    maxTokens: numberOf(given, COMMAND, "max_tokens", { least: 1 }),
    samples: numberOf(given, COMMAND, "samples", { least: 1, most: MAX_SAMPLES }) ?? 1,
    wantsJson: given.switches.has("json"),
  };
}

function taskOf(given: ParsedFlags): ChatCommand["task"] {
  const environment = lastValue(given, "environment") ?? null;
  const split = lastValue(given, "split") ?? null;
  const index = numberOf(given, COMMAND, "task");
  if (environment === null && split === null && index === null) return null;
  return { environment, split, index: index ?? 0 };
}

/** A turn of a rollout by its numbers on the screen, from 1; of evaluations the step counts from 0. */
function turnOf(given: ParsedFlags): TurnPlace | null {
  const isEvaluated = given.switches.has("eval");
  const [group, rollout, turn] = (["group", "rollout", "turn"] as const).map((flag) =>
    numberOf(given, COMMAND, flag, { least: 1 }),
  );
  const step = numberOf(given, COMMAND, "step", { least: isEvaluated ? 0 : 1 });
  const all = [step, group, rollout, turn];
  if (!isEvaluated && all.every((number) => number === null)) return null;
  if (isEvaluated && (group !== null || step == null || rollout == null || turn == null)) {
    throw argumentError(
      "--eval needs --step, --rollout and --turn, and does not take --group",
      COMMAND,
    );
  }
  if (step == null || rollout == null || turn == null || (group == null && !isEvaluated)) {
    throw argumentError("--step, --group, --rollout and --turn must be used together", COMMAND);
  }
  return {
    source: isEvaluated ? "evaluation" : "training",
    step,
    group: group ?? null,
    rollout,
    turn,
  };
}

function temperatureOf(given: ParsedFlags): number | null {
  const text = lastValue(given, "temperature");
  if (text === undefined) return null;
  const temperature = readTemperature(text);
  if (temperature !== null) return temperature;
  throw argumentError(
    `--temperature is ${JSON.stringify(text)}, not a number of at least 0`,
    COMMAND,
  );
}

/** Null for what is none. */
export function readTemperature(text: string): number | null {
  return /^\d*\.?\d+$/.test(text) ? Number(text) : null;
}
