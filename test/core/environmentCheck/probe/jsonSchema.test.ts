import { describe, expect, it } from "vitest";
import { drawArguments } from "../../../../src/core/environmentCheck/probe/jsonSchema.ts";
import { constantSource } from "../../../../src/core/environmentCheck/probe/valueSources.ts";
import type { JsonObject } from "../../../../src/core/json.ts";

describe("arguments that are drawn from a schema", () => {
  it("stay few where schemas refer to one another in many ways", () => {
    const names = ["a", "b", "c", "d", "e"];
    const node = { $ref: "#/$defs/node" };
    const schema: JsonObject = {
      ...node,
      $defs: {
        node: {
          type: "object",
          required: names,
          properties: Object.fromEntries(names.map((name) => [name, node])),
        },
      },
    };
    const source = constantSource("x", 0);
    expect(JSON.stringify(drawArguments(schema, source)).length).toBeLessThan(50_000);
  });
});
