import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  EMBEDDED_MODELS,
  EMBEDDED_ENVIRONMENTS as OFFERED,
} from "../../../../../src/core/config/editing/catalogue/embedded.ts";
import { MAX_RANK } from "../../../../../src/local/engine/architecture.ts";
import { EMBEDDED_ENVIRONMENTS } from "../../../../../src/local/environment/catalogue.ts";

const MODEL = "src/local/engine/model/config.json";

describe("the table of what is embedded", () => {
  it("names the environments that the server has, with their splits and tools", () => {
    expect(OFFERED).toEqual(
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

  it("names the model that the engine has, with its context and largest rank", () => {
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
