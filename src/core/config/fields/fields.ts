/** The table of all configuration fields. Parsing, types, the editor's schema and the reference all derive from it. */

import type { KeyPath } from "../source/keyPath.ts";
import { agentFields } from "./agentFields.ts";
import { alarmFields } from "./alarmThresholds.ts";
import { costFields, priceFields, targetFields } from "./costFields.ts";
import { columnFields, environmentFields, graderFields, splitFields } from "./environmentFields.ts";
import { evaluationFields } from "./evaluationFields.ts";
import { type Field, type FieldTable, type ObjectShape, OPTIONAL, type Shape } from "./field.ts";
import { modelFields } from "./modelFields.ts";
import { notifyFields } from "./notifyFields.ts";
import { optimizerFields } from "./optimizerFields.ts";
import { rolloutFields } from "./rolloutFields.ts";
import { dataFields, runFields, serviceFields } from "./runFields.ts";
import { serverFields } from "./serverFields.ts";
import { dataSourceFields, supervisedFields } from "./supervisedFields.ts";
import { teacherFields } from "./teacherFields.ts";

/** The settings of a single run. */
const runSettings = {
  ...modelFields,
  ...dataFields,
  ...supervisedFields,
  ...optimizerFields,
  ...rolloutFields,
  ...runFields,
  ...costFields,
  ...serviceFields,
} as const satisfies FieldTable;

const stageFields = stageFieldsOf(runSettings);

export const configFields = { ...runSettings, ...stageFields } as const satisfies FieldTable;

/** The whole configuration as a shape. */
export const configShape: ObjectShape = { type: "object", fields: configFields };

export interface FieldSection {
  readonly title: string;
  /** Key path of the fields in the file, where `<…>` is a name that the user chooses. Empty for the top level. */
  readonly place: string;
  readonly fields: FieldTable;
  /** True when the keys are so common that the same key elsewhere is likely unrelated. */
  readonly hasCommonNames?: true;
}

/** All fields in reading order. */
export const fieldSections: readonly FieldSection[] = [
  { title: "Model", place: "", fields: modelFields },
  { title: "Thinking", place: "thinking", fields: modelFields.thinking.fields },
  { title: "Data", place: "", fields: dataFields },
  { title: "Environment", place: "environments.<name>", fields: environmentFields },
  { title: "Server", place: "environments.<name>.server", fields: serverFields },
  {
    title: "Agent",
    place: "environments.<name>.agent",
    fields: agentFields,
    hasCommonNames: true,
  },
  { title: "Split", place: "environments.<name>.splits.<name>", fields: splitFields },
  {
    title: "Dataset columns",
    place: "environments.<name>.columns",
    fields: columnFields,
    hasCommonNames: true,
  },
  {
    title: "Dataset grader",
    place: "environments.<name>.grader",
    fields: graderFields,
    hasCommonNames: true,
  },
  { title: "Supervised fine-tuning", place: "", fields: supervisedFields },
  {
    title: "Source of demonstrations",
    place: "data.<number>",
    fields: dataSourceFields,
    hasCommonNames: true,
  },
  { title: "Loss and optimizer", place: "", fields: optimizerFields },
  { title: "Teacher", place: "teacher", fields: teacherFields, hasCommonNames: true },
  { title: "Rollouts", place: "", fields: rolloutFields },
  { title: "Run", place: "", fields: runFields },
  { title: "Cost and budgets", place: "", fields: costFields },
  { title: "Prices", place: "prices", fields: priceFields },
  { title: "Target", place: "target_reward", fields: targetFields },
  { title: "Evaluation", place: "evaluation", fields: evaluationFields },
  { title: "Alarms", place: "alarms", fields: alarmFields },
  { title: "Stages", place: "", fields: stageFields },
  { title: "Services", place: "", fields: serviceFields },
  {
    title: "Notification",
    place: "notify.<number>",
    fields: notifyFields,
    hasCommonNames: true,
  },
];

/** The table's own field `key`, or undefined; ignores inherited properties. */
export function fieldOf(fields: FieldTable, key: string): Field | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** The shape at a key path such as `["environments", "local/calculator", "top_p"]`. */
export function shapeAt(path: KeyPath): Shape | undefined {
  let shape: Shape | undefined = configShape;
  for (const key of path) shape = childShape(shape, key);
  return shape;
}

/** True for a value that is never stored or shown. */
export function isSecret(shape: Shape | undefined): boolean {
  return shape?.type === "string" && shape.isSecret === true;
}

/** The shape of the value under `key` in a value of `shape`. */
export function childShape(shape: Shape | undefined, key: string): Shape | undefined {
  if (shape?.type === "object") return fieldOf(shape.fields, key);
  return shape?.type === "map" || shape?.type === "list" ? shape.of : undefined;
}

/** `settings` are the fields that a stage may set. */
function stageFieldsOf<Settings extends FieldTable>(settings: Settings) {
  return {
    stages: {
      type: "map",
      keyName: "stage",
      of: { type: "object", fields: settings, isPartial: true },
      minEntries: 1,
      ...OPTIONAL,
      change: "fixed",
      examples: [{ imitate: { method: "sft", max_steps: 15 }, reinforce: { max_steps: 40 } }],
      doc: "Runs in this order, by name, each with its differences from the rest of the file. A stage starts from the weights of the one before, or with `init_from: null` from the base model. `stage:NAME` stands for the run of an earlier stage in `init_from`, `kl_reference`, a teacher's `checkpoint`, and `run` of a `data` source; `stage:NAME@10` stands for its weights after 10 steps. `max_cost_usd`, `max_tokens_total` and `max_hours` of the file limit all stages together; those of a stage limit only that stage. Starting training again resumes a stopped or failed stage and keeps finished ones.",
    },
    stage: {
      type: "string",
      ...OPTIONAL,
      change: "identity",
      examples: ["reinforce"],
      doc: "Trains only this one of `stages`, again from the weights of the stage before it. `null` trains all of them.",
    },
  } as const;
}
