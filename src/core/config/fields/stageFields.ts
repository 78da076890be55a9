/** Fields of the configuration about training in stages. */

import { type FieldTable, OPTIONAL } from "./field.ts";

/** `settings` are the fields of a run. */
export function stageFieldsOf<Settings extends FieldTable>(settings: Settings) {
  return {
    stages: {
      type: "map",
      keyName: "stage",
      of: { type: "object", fields: settings, isPartial: true },
      minEntries: 1,
      ...OPTIONAL,
      change: "fixed",
      examples: [{ imitate: { method: "sft", max_steps: 15 }, reinforce: { max_steps: 40 } }],
      doc: "Runs that follow one another in this order, by name, each with what it sets differently from the rest of the file. A stage begins with the weights of the one before. `stage:NAME` stands for the run of an earlier stage in `init_from` and as `run` of a source of `data`. `max_cost_usd`, `max_tokens_total` and `max_hours` of the file hold for all stages together, those of a stage for it alone. A stage that was stopped or failed is resumed when training is started again; those that are done are kept.",
    },
    stage: {
      type: "string",
      ...OPTIONAL,
      change: "identity",
      examples: ["reinforce"],
      doc: "Trains this one of `stages` alone, again from the weights of the stage before it. `null` trains all of them.",
    },
  } as const;
}
