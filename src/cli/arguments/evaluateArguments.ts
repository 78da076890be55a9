/** Understands the words behind `evaluate`. */

import { lastValue, type Sending, sending, type WithOverrides } from "./argumentValues.ts";
import { argumentError, type ParsedFlags } from "./flags.ts";

/** Measures models without training. */
export interface EvaluateCommand extends WithOverrides, Sending {
  readonly kind: "evaluate";
  /** Checkpoints, run folders and the base model; none = the base model and the configuration's run. */
  readonly models: readonly string[];
  /** Null = that of the first run folder. */
  readonly configPath: string | null;
  /** `SPLIT`, or `ENVIRONMENT=SPLIT,SPLIT` each. */
  readonly splits: readonly string[];
  readonly wantsJson: boolean;
}

/** Flags of the evaluation over the configuration's own settings of it. */
const EVALUATION_FLAGS = {
  num_samples: (text: string) => `evaluation.num_samples=${text}`,
  rollouts_per_task: (text: string) => `evaluation.rollouts_per_task=${text}`,
  temperature: (text: string) => `evaluation.temperatures=[${text}]`,
} as const;

/** @throws AppError `bad-arguments` */
export function evaluateCommand(given: ParsedFlags): EvaluateCommand {
  const { positionals: models } = given;
  const configPath = lastValue(given, "config_path") ?? null;
  if (models.length === 0 && configPath === null) {
    throw argumentError("evaluate needs a model or --config_path", "evaluate");
  }
  const settings = Object.entries(EVALUATION_FLAGS).flatMap(([flag, override]) => {
    const text = lastValue(given, flag);
    return text === undefined ? [] : [override(text)];
  });
  return {
    kind: "evaluate",
    models,
    configPath,
    splits: given.values.get("splits") ?? [],
    overrides: [...given.overrides, ...settings],
    wantsJson: given.switches.has("json"),
    ...sending(given, "evaluate"),
  };
}
