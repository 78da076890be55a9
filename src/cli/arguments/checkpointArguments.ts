/** Parses the arguments of `checkpoints`. */

import type { CheckpointChange } from "../../core/tinker/checkpointChange.ts";
import type { FormRequest } from "../../core/weights/forms/formRequest.ts";
import type { GivenArguments } from "./givenArguments.ts";

export type CheckpointAction =
  | {
      readonly action: "list";
      /** The run whose checkpoints to list; null = all on this computer and in the account. */
      readonly folder: string | null;
      readonly wantsJson: boolean;
    }
  | { readonly action: "info"; readonly path: string; readonly wantsJson: boolean }
  | {
      readonly action: "download";
      /** A run folder, or `tinker://RUN/KIND/NAME`. */
      readonly source: string;
      /** Name of a checkpoint of the run; null = the newest. */
      readonly name: string | null;
      /** Null = named after the checkpoint, in the working directory. */
      readonly output: string | null;
      /** Null = Tinker's own format, which `peft` can load. */
      readonly form: FormRequest | null;
      readonly wantsJson: boolean;
    }
  | {
      readonly action: "change";
      /** At least one path; a run folder if `name` is set. */
      readonly paths: readonly string[];
      /** Name of a checkpoint of the run; null if `paths` are checkpoint addresses. */
      readonly name: string | null;
      readonly change: CheckpointChange;
    };

export type CheckpointsCommand = ReturnType<typeof checkpointsCommand>;

const WORDS = ["list", "info", "download", "publish", "unpublish", "set-ttl", "delete"] as const;
const FORMS = ["peft", "vllm", "merged"] as const;
const UNIT_S: Readonly<Record<string, number>> = { h: 3600, d: 86_400, w: 604_800 };
/** Limits of the service: `docs/protocols/tinker.md#checkpoints`. */
const MIN_TTL_S = 3600;
const MAX_TTL_S = 10 * 365 * 86_400;

/** Parses the subcommands that manage checkpoints. */
export function checkpointsCommand(given: GivenArguments) {
  const command = {
    kind: "checkpoints" as const,
    action: actionOf(given),
    /** True to skip the service. */
    isLocalOnly: given.has("local"),
    allowedOrigins: given.allowedOrigins(),
  };
  given.refuseUnread();
  return command;
}

function actionOf(given: GivenArguments): CheckpointAction {
  const [first, ...rest] = given.positionals;
  const word = WORDS.find((known) => known === first);
  switch (word) {
    case undefined:
      throw given.error(`checkpoints needs one of ${WORDS.join(", ")}`);
    case "list":
      return { action: "list", folder: given.atMostOne(rest), wantsJson: given.has("json") };
    case "info":
      return {
        action: "info",
        path: given.only("the address of a checkpoint", rest),
        wantsJson: given.has("json"),
      };
    case "download":
      return {
        action: "download",
        source: given.only("a run folder or the address of a checkpoint", rest),
        name: given.text("name"),
        output: given.text("output"),
        form: formOf(given),
        wantsJson: given.has("json"),
      };
    case "set-ttl": {
      const ttlSeconds = ttlOf(rest.at(-1), given);
      return changing(given, rest.slice(0, -1), { action: "set-ttl", ttlSeconds });
    }
    default:
      return changing(given, rest, { action: word });
  }
}

function formOf(given: GivenArguments): FormRequest | null {
  const form = given.oneOf("for", FORMS, given.text("for") ?? "peft");
  const base = given.text("base");
  const dropsUnembedding = given.has("drop-unembed");
  if (dropsUnembedding && form !== "vllm") {
    throw given.error("--drop-unembed goes with --for vllm only");
  }
  if (form !== "peft") return { form, base, dropsUnembedding };
  if (base === null) return null;
  throw given.error("--base goes with --for vllm or --for merged");
}

function changing(
  given: GivenArguments,
  paths: readonly string[],
  change: CheckpointChange,
): CheckpointAction {
  const name = given.text("name");
  if (name !== null) given.refuseFurther(paths.slice(1));
  const folder = name === null ? paths.find((path) => !path.startsWith("tinker://")) : undefined;
  if (folder !== undefined) {
    throw given.error(
      `${folder} is not the address of a checkpoint; add --name to change a checkpoint of a run folder`,
    );
  }
  if (paths.length > 0) return { action: "change", paths, name, change };
  throw given.error(
    `${change.action} needs the address of a checkpoint, or a run folder and --name`,
  );
}

/** In seconds; null for `never`. */
function ttlOf(text: string | undefined, given: GivenArguments): number | null {
  if (text === "never") return null;
  const [, count = "", unit = ""] = /^(\d{1,6})([hdw])$/.exec(text ?? "") ?? [];
  const seconds = Number(count) * (UNIT_S[unit] ?? Number.NaN);
  if (count !== "" && seconds >= MIN_TTL_S && seconds <= MAX_TTL_S) return seconds;
  throw given.error(
    "set-ttl ends with how long the checkpoint is kept: 12h, 30d, 8w or never; at least 1h, at most ten years",
  );
}
