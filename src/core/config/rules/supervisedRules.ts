/** Rules about `method: sft`: its data sources, and reinforcement-learning settings that have no effect. */

import {
  CONDITION_FIELDS,
  parseRolloutCondition,
  unknownConditionField,
} from "../../../shared/rolloutCondition.ts";
import type { Config } from "../fields/schema.ts";
import { advice, conflict, type Finding } from "../source/finding.ts";
import type { KeyPath } from "../source/keyPath.ts";
import { removal, setKeyTo } from "../source/remedy.ts";
import { valueAt } from "./issues.ts";

type DataSource = Config["data"][number];

/** Keys that control how rollouts become training data. */
const RL_KEYS = [
  ...["loss_fn", "loss_fn_config", "advantage_calculation", "advantage_eps", "advantage_clip"],
  ...[
    "credit",
    "discount",
    "kl_coef",
    "kl_reference",
    "kl_discount",
    "teacher",
    "overlong",
    "overlong_buffer",
    "overlong_penalty",
  ],
  ...["zero_variance", "refill", "max_steps_off_policy", "off_policy_correction"],
  ...[
    "off_policy_correction_config",
    "num_passes",
    "num_substeps",
    "mix",
    "curriculum",
    "target_reward",
  ],
];

const ROLLOUT_FILTERS = ["where", "starred", "tags", "max_per_task"] as const;

export function supervisedFindings(config: Config, values: unknown): readonly Finding[] {
  if (config.method === "rl") return unusedData(config);
  if (config.method === "collect") return [];
  return [
    ...missingData(valueAt(values, ["data"])),
    ...config.data.flatMap(sourceFindings),
    ...RL_KEYS.filter((key) => valueAt(values, [key]) !== undefined).map(unread),
  ];
}

function unusedData({ data }: Config): readonly Finding[] {
  if (data.length === 0) return [];
  const message = "`data` is read only with `method: sft`; reinforcement learning has no examples.";
  const remedies = [setKeyTo(["method"], "sft")];
  return [advice("TRL226", ["data"], message, { part: "key", remedies })];
}

/** Checks `data` as written; invalid entries have findings of their own. */
function missingData(data: unknown): readonly Finding[] {
  const isMissing = data === undefined || (Array.isArray(data) && data.length === 0);
  if (!isMissing) return [];
  const message =
    "`method: sft` needs demonstrations. Add `data`, a list with a `path` to a JSONL file or with the folder of a `run`.";
  return [conflict("TRL226", ["method"], message)];
}

function sourceFindings(source: DataSource, index: number): readonly Finding[] {
  const place = ["data", String(index)];
  if ((source.path === null) === (source.run === null)) {
    const message = "A source has either the `path` of a JSONL file or the folder of a `run`.";
    return [conflict("TRL226", place, message)];
  }
  return [...filterFindings(source, place), ...fileFindings(source, place)];
}

function filterFindings({ where }: DataSource, place: KeyPath): readonly Finding[] {
  if (where === null || parseRolloutCondition(where) !== null) return [];
  const names = CONDITION_FIELDS.map((name) => `\`${name}\``).join(", ");
  const message =
    unknownConditionField(where) ??
    `Expected comparisons with numbers, such as \`reward >= 1 and turns <= 4\`, of ${names}.`;
  return [conflict("TRL226", [...place, "where"], message)];
}

function fileFindings(source: DataSource, place: KeyPath): readonly Finding[] {
  if (source.path === null) return [];
  const isSet = { ...source, tags: source.tags.length > 0 || null };
  return ROLLOUT_FILTERS.filter((key) => Boolean(isSet[key])).map((key) =>
    advice("TRL226", [...place, key], `\`${key}\` chooses rollouts of a \`run\`; a file has none.`),
  );
}

function unread(key: string): Finding {
  const remedies = [removal([key])];
  const message = `\`${key}\` has no effect with \`method: sft\`.`;
  return advice("TRL226", [key], message, { relatedPaths: [["method"]], remedies });
}
