/** Rules about `stages`: keys that none may set, where each ends, and which earlier stages it refers to. */

import { nearestWords } from "../../../shared/editDistance.ts";
import { isJsonObject } from "../../json.ts";
import type { Config } from "../fields/schema.ts";
import { advice, conflict, type Finding } from "../source/finding.ts";
import { changeTo, preferred, removal, setTo } from "../source/remedy.ts";
import { valueAt } from "./issues.ts";
import { namedWeights, runAtStep } from "./namedWeights.ts";

/** Refers to the run of an earlier stage instead of a folder. */
const STAGE_REFERENCE = /^stage:(.*)$/;

/** Keys that apply to all stages. Weights pass from one stage to the next, so model and adapter must be the same. */
export const SHARED_KEYS: readonly string[] = [
  ...["model_name", "lora_rank", "train_attn", "train_mlp", "train_unembed", "tokenizer_name"],
  ...["log_path", "run_name", "wandb_run_name", "openreward_run_name", "resume_from"],
  ...["stages", "stage"],
];

interface CheckedStage {
  readonly name: string | null;
  readonly config: Config | null;
  readonly overridden: { readonly values: unknown };
}

/** Findings about all stages together. `written` holds the file's values, `stages` the stages to check. */
export function stageFindings(
  written: unknown,
  stages: readonly CheckedStage[],
): readonly Finding[] {
  const all = valueAt(written, ["stages"]);
  const names = isJsonObject(all) ? Object.keys(all) : [];
  const chosen = valueAt(stages[0]?.overridden.values, ["stage"]);
  return [
    ...choiceFindings(chosen, names),
    ...(stages.length > 1 ? resumeFindings(stages[0]?.overridden.values) : []),
    ...names.flatMap((name) => sharedFindings(name, valueAt(all, [name]))),
    ...stages.flatMap(({ name, config }) =>
      config === null
        ? []
        : [...endFindings(name, config), ...referenceFindings(name, config, names)],
    ),
  ];
}

/** The stage that `stage:NAME` refers to; null for any other value. */
export function referencedStage(value: string | null): string | null {
  return STAGE_REFERENCE.exec(value ?? "")?.[1] ?? null;
}

/** The stage that a value which names weights stands for, with the `@STEP` behind it, or nothing; null for any other value. */
export function stageOfWeights(
  value: string | null,
): { readonly stage: string; readonly at: string } | null {
  const named = runAtStep(value ?? "");
  const stage = referencedStage(named?.folder ?? value);
  return stage === null ? null : { stage, at: named === null ? "" : `@${named.step}` };
}

function choiceFindings(chosen: unknown, names: readonly string[]): readonly Finding[] {
  if (typeof chosen !== "string" || names.includes(chosen)) return [];
  if (names.length === 0) {
    // A run's own copy of its configuration has `stage` without `stages`.
    return [advice("TRL229", ["stage"], "`stage` has no effect without `stages`.")];
  }
  const near = nearestWords(chosen, names);
  const message = `There is no stage \`${chosen}\`; \`stages\` has ${listed(names)}.`;
  const remedies = near.map((name) => preferred(changeTo(["stage"], name)));
  return [conflict("TRL229", ["stage"], message, { relatedPaths: [["stages"]], remedies })];
}

/** `resume_from` continues a single run, so it cannot start several stages. */
function resumeFindings(values: unknown): readonly Finding[] {
  const from = valueAt(values, ["resume_from"]);
  if (from === undefined || from === null) return [];
  const message =
    "`resume_from` continues one run, and each stage is a run of its own. Choose the stage that it continues with `stage`.";
  return [conflict("TRL229", ["resume_from"], message, { relatedPaths: [["stages"]] })];
}

function sharedFindings(name: string, own: unknown): readonly Finding[] {
  if (!isJsonObject(own)) return [];
  return SHARED_KEYS.filter((key) => Object.hasOwn(own, key)).map((key) => {
    const path = ["stages", name, key];
    const remedies = [removal(path)];
    const message = `\`${key}\` holds for all stages. Write it outside of \`stages\`.`;
    return conflict("TRL229", path, message, { part: "key", remedies });
  });
}

/** A stage without an end would prevent later stages from starting. */
function endFindings(name: string | null, config: Config): readonly Finding[] {
  const { max_steps: steps, num_epochs: epochs, method } = config;
  if (name === null || steps !== null || epochs !== null || method === "collect") return [];
  const path = ["stages", name];
  const message = `Stage \`${name}\` has no end: add \`max_steps\` or \`num_epochs\`.`;
  const remedies = [setTo([...path, "max_steps"], 50, "Add max_steps: 50")];
  return [conflict("TRL229", path, message, { part: "key", remedies })];
}

function referenceFindings(
  name: string | null,
  config: Config,
  names: readonly string[],
): readonly Finding[] {
  const values = [
    ...namedWeights(config).map(({ path, given }) => {
      return { path, value: given, other: stageOfWeights(given)?.stage ?? null };
    }),
    ...config.data.map(({ run }, index) => {
      return { path: ["data", String(index), "run"], value: run, other: referencedStage(run) };
    }),
  ];
  const earlier = name === null ? [] : names.slice(0, names.indexOf(name));
  return values.flatMap(({ path, value, other }) => {
    const place = name === null ? path : ["stages", name, ...path];
    if (value !== null && earlier.includes(value)) {
      const message = `\`${value}\` is read as a folder. Did you mean the run of that stage, \`stage:${value}\`?`;
      const remedies = [preferred(changeTo(place, `stage:${value}`))];
      return [advice("TRL229", place, message, { remedies })];
    }
    if (other === null || earlier.includes(other)) return [];
    const message =
      name === null
        ? `\`stage:${other}\` stands for a run of \`stages\`, which the file does not have. Name the folder of a run.`
        : `\`stage:${other}\` is not a stage before \`${name}\`. ${earlier.length === 0 ? "It is the first: name the folder of a run." : `Earlier stages: ${listed(earlier)}.`}`;
    return [conflict("TRL229", place, message)];
  });
}

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
