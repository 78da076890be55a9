/** A dataset as configured, with default settings. */

import type { GraderConfig } from "../../../../src/core/config/fields/schema.ts";
import type { DatasetSource } from "../../../../src/local/environment/dataset/datasetSource.ts";

export const GRADER: GraderConfig = {
  type: "exact",
  case_sensitive: false,
  tolerance: 1e-6,
  absolute_tolerance: 0,
  in_prompt: false,
};

export const SOURCE: DatasetSource = {
  environment: "local/dataset",
  path: "/data/questions.jsonl",
  columns: {
    question: "question",
    answer: "answer",
    system: "system",
    choices: "choices",
    split: "split",
  },
  grader: GRADER,
  splitFractions: { train: 1 },
};
