import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  EMBEDDED_MODELS,
  EMBEDDED_ENVIRONMENTS as OFFERED,
} from "../../../../../src/core/config/editing/catalogue/embedded.ts";
import { MAX_RANK } from "../../../../../src/local/engine/architecture.ts";
import { EMBEDDED_ENVIRONMENTS } from "../../../../../src/local/environment/catalogue.ts";
import { datasetEnvironment } from "../../../../../src/local/environment/dataset/datasetEnvironment.ts";
import { createGrader } from "../../../../../src/local/environment/dataset/graders/graders.ts";

const GRADER = {
  type: "exact",
  case_sensitive: false,
  tolerance: 0,
  absolute_tolerance: 0,
  in_prompt: false,
} as const;
const MODEL = "src/local/engine/model/config.json";

describe("the table of embedded environments and models", () => {
  it("lists the server's environments, with their splits and tools", () => {
    expect(OFFERED.filter(({ name }) => name !== "local/dataset")).toEqual(
      EMBEDDED_ENVIRONMENTS.map(({ name, description, splits, tools }) => ({
        name: `local/${name}`,
        description,
        splits: Object.entries(splits).map(([split, tasks]) => ({ name: split, tasks })),
        tools: Object.keys(tools),
        secrets: [],
        page: null,
      })),
    );
  });

  it("lists the dataset environment, whose splits depend on its file", () => {
    const dataset = datasetEnvironment({
      name: "dataset",
      file: "q.csv",
      splits: new Map(),
      grader: createGrader(GRADER),
      isRuleInPrompt: false,
    });
    expect(OFFERED.at(-1)).toMatchObject({
      name: `local/${dataset.name}`,
      tools: Object.keys(dataset.tools),
      splits: null,
    });
  });

  it("lists the engine's model, with its context length and maximum rank", () => {
    const model: unknown = JSON.parse(readFileSync(MODEL, "utf8"));
    const [entry, ...others] = EMBEDDED_MODELS;
    expect(others).toEqual([]);
    expect(model).toMatchObject({
      name: entry?.name,
      max_position_embeddings: entry?.contextTokens,
    });
    expect(entry?.maxRank).toBe(MAX_RANK);
  });
});
