/** Understands the words behind `export` and `collect`. */

import { parseRolloutCondition } from "../../shared/rolloutCondition.ts";
import {
  lastValue,
  numberOf,
  oneOf,
  type Sending,
  sending,
  type WithOverrides,
} from "./argumentValues.ts";
import { argumentError, type CommandName, type ParsedFlags } from "./flags.ts";

const FORMATS = ["messages", "tokens", "parquet"] as const;

interface Choosing {
  readonly where: string | null;
  readonly maxPerTask: number | null;
  readonly format: (typeof FORMATS)[number];
  /** Null = named after the first run. */
  readonly output: string | null;
  readonly license: string | null;
}

/** Writes rollouts as a data set. */
export interface ExportCommand extends Choosing {
  readonly kind: "export";
  /** At least one. */
  readonly folders: readonly string[];
  readonly starred: boolean;
  readonly tags: readonly string[];
}

/** Plays the tasks of training several times, and writes what went well as a data set. */
export interface CollectCommand extends Choosing, WithOverrides, Sending {
  readonly kind: "collect";
  /** A checkpoint, a run folder or `base`. */
  readonly model: string;
  readonly configPath: string | null;
  /** Rollouts a task. */
  readonly samples: number;
  /** Null = all. */
  readonly tasks: number | null;
}

const DEFAULT_SAMPLES = 4;

/** @throws AppError `bad-arguments` */
export function exportCommand(given: ParsedFlags): ExportCommand {
  const { positionals: folders } = given;
  if (folders.length === 0) throw argumentError("export needs a run folder", "export");
  return {
    kind: "export",
    folders,
    starred: given.switches.has("starred"),
    tags: given.values.get("tag") ?? [],
    ...choosing(given, "export"),
  };
}

/** @throws AppError `bad-arguments` */
export function collectCommand(given: ParsedFlags): CollectCommand {
  const [model, ...further] = given.positionals;
  if (model === undefined || further.length > 0) {
    throw argumentError("collect needs one model", "collect");
  }
  return {
    kind: "collect",
    model,
    configPath: lastValue(given, "config_path") ?? null,
    samples: numberOf(given, "collect", "samples", { most: 10_000 }) ?? DEFAULT_SAMPLES,
    tasks: numberOf(given, "collect", "tasks", { most: 10_000_000 }),
    overrides: given.overrides,
    ...choosing(given, "collect"),
    ...sending(given, "collect"),
  };
}

function choosing(given: ParsedFlags, command: CommandName): Choosing {
  const where = lastValue(given, "where") ?? null;
  if (where !== null && parseRolloutCondition(where) === null) {
    throw argumentError(
      `--where is ${JSON.stringify(where)}. It takes comparisons such as "reward >= 1 and turns <= 4"`,
      command,
    );
  }
  return {
    where,
    format: oneOf(FORMATS, lastValue(given, "format") ?? "messages", "format", command),
    maxPerTask: numberOf(given, command, "max_per_task", { most: 1_000_000 }),
    output: lastValue(given, "output") ?? null,
    license: lastValue(given, "license") ?? null,
  };
}
