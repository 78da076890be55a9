import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { configJsonSchema } from "../../../src/core/config/jsonSchema.ts";

describe("the JSON schema", () => {
  it("is the committed one", () => {
    const committed = readFileSync("media/tinker-config.schema.json", "utf8");
    expect(`${JSON.stringify(configJsonSchema(), null, 2)}\n`).toBe(committed);
  });

  it("carries range, default and documentation of a field", () => {
    expect(configJsonSchema()["properties"]).toMatchObject({
      adam_beta1: { type: "number", minimum: 0, exclusiveMaximum: 1, default: 0.9 },
      num_epochs: { type: ["integer", "null"], default: null },
      zero_variance: { enum: ["drop", "keep", null] },
      learning_rate: { markdownDescription: expect.stringContaining("models: `0.001`") },
    });
  });

  it.each(["local", "hosted", "agents"])(
    "accepts the %s example and no unknown key in it",
    (name) => {
      const example: unknown = parseYaml(
        readFileSync(`examples/${name}/tinker-config.yaml`, "utf8"),
      );
      // Both sides are plain JSON; the declared type of the parameter is narrower than a draft-07 document.
      const schema = z.fromJSONSchema(configJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
      expect(schema.safeParse(example).error).toBeUndefined();
      expect(schema.safeParse({ ...Object(example), zzz: 1 }).success).toBe(false);
    },
  );
});
