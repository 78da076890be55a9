/** Understands the words behind `checkpoints`. */

import type { CheckpointChange } from "../../core/tinker/checkpointChange.ts";
import type { FormRequest } from "../../core/weights/forms/formRequest.ts";
import { lastValue, oneOf, refuseFurther, type Sending, sending } from "./argumentValues.ts";
import { argumentError, type ParsedFlags } from "./flags.ts";

export type CheckpointAction =
  | {
      readonly action: "list";
      /** Limits the list to a run; null = all of this computer and of the account. */
      readonly folder: string | null;
      readonly wantsJson: boolean;
    }
  | { readonly action: "info"; readonly path: string; readonly wantsJson: boolean }
  | {
      readonly action: "download";
      /** A run folder, or `tinker://RUN/KIND/NAME`. */
      readonly source: string;
      /** Names a checkpoint of the run; null = the newest. */
      readonly name: string | null;
      /** Null = named after the checkpoint, in the working directory. */
      readonly output: string | null;
      /** Null = as Tinker exports them, which `peft` loads. */
      readonly form: FormRequest | null;
      readonly wantsJson: boolean;
    }
  | {
      readonly action: "change";
      /** At least one; with `name` a run folder. */
      readonly paths: readonly string[];
      /** Names a checkpoint of the run; null where `paths` are addresses. */
      readonly name: string | null;
      readonly change: CheckpointChange;
    };

/** Does something with saved weights. */
export interface CheckpointsCommand extends Sending {
  readonly kind: "checkpoints";
  readonly action: CheckpointAction;
  /** True to leave the service alone. */
  readonly isLocalOnly: boolean;
}

const COMMAND = "checkpoints";
const WORDS = ["list", "info", "download", "publish", "unpublish", "set-ttl", "delete"] as const;
const FORMS = ["peft", "vllm", "merged"] as const;
const UNIT_S: Readonly<Record<string, number>> = { h: 3600, d: 86_400, w: 604_800 };
/** What the service takes: `docs/protocols/tinker.md#checkpoints`. */
const MIN_TTL_S = 3600;
const MAX_TTL_S = 10 * 365 * 86_400;

/** @throws AppError `bad-arguments` */
export function checkpointsCommand(given: ParsedFlags): CheckpointsCommand {
  const isLocalOnly = given.switches.has("local");
  return { kind: COMMAND, action: actionOf(given), isLocalOnly, ...sending(given, COMMAND) };
}

function actionOf(given: ParsedFlags): CheckpointAction {
  const { positionals, switches } = given;
  const [first, ...rest] = positionals;
  const word = WORDS.find((known) => known === first);
  const wantsJson = switches.has("json");
  switch (word) {
    case undefined:
      throw argumentError(`checkpoints needs one of ${WORDS.join(", ")}`, COMMAND);
    case "list":
      return { action: "list", folder: atMostOne(rest) ?? null, wantsJson };
    case "info":
      return { action: "info", path: onlyOne(rest, "the address of a checkpoint"), wantsJson };
    case "download":
      return {
        action: "download",
        source: onlyOne(rest, "a run folder or the address of a checkpoint"),
        name: lastValue(given, "name") ?? null,
        output: lastValue(given, "output") ?? null,
        form: formOf(given),
        wantsJson,
      };
    case "set-ttl": {
      const paths = rest.slice(0, -1);
      const change = { action: "set-ttl", ttlSeconds: ttlOf(rest.at(-1)) } as const;
      return changing(given, paths, change);
    }
    default:
      return changing(given, rest, { action: word });
  }
}

/** @throws AppError `bad-arguments` */
function formOf(given: ParsedFlags): FormRequest | null {
  const form = oneOf(FORMS, lastValue(given, "for") ?? "peft", "for", COMMAND);
  const base = lastValue(given, "base") ?? null;
  const dropsUnembedding = given.switches.has("drop-unembed");
  if (dropsUnembedding && form !== "vllm") {
    throw argumentError("--drop-unembed goes with --for vllm only", COMMAND);
  }
  if (form !== "peft") return { form, base, dropsUnembedding };
  if (base === null) return null;
  throw argumentError("--base goes with --for vllm or --for merged", COMMAND);
}

function changing(
  given: ParsedFlags,
  paths: readonly string[],
  change: CheckpointChange,
): CheckpointAction {
  const name = lastValue(given, "name") ?? null;
  if (name !== null) refuseFurther(paths.slice(1), COMMAND);
  const folder = name === null ? paths.find((path) => !path.startsWith("tinker://")) : undefined;
  if (folder !== undefined) {
    throw argumentError(
      `${folder} is not the address of a checkpoint; add --name to change a checkpoint of a run folder`,
      COMMAND,
    );
  }
  if (paths.length > 0) return { action: "change", paths, name, change };
  throw argumentError(
    `${change.action} needs the address of a checkpoint, or a run folder and --name`,
    COMMAND,
  );
}

/** In seconds; null for `never`. */
function ttlOf(text: string | undefined): number | null {
  if (text === "never") return null;
  const [, count = "", unit = ""] = /^(\d{1,6})([hdw])$/.exec(text ?? "") ?? [];
  const seconds = Number(count) * (UNIT_S[unit] ?? Number.NaN);
  if (count !== "" && seconds >= MIN_TTL_S && seconds <= MAX_TTL_S) return seconds;
  throw argumentError(
    "set-ttl ends with how long the checkpoint is kept: 12h, 30d, 8w or never; at least 1h, at most ten years",
    COMMAND,
  );
}

function onlyOne(words: readonly string[], what: string): string {
  const only = atMostOne(words);
  if (only === undefined) throw argumentError(`checkpoints needs ${what}`, COMMAND);
  return only;
}

function atMostOne([first, ...further]: readonly string[]): string | undefined {
  refuseFurther(further, COMMAND);
  return first;
}
