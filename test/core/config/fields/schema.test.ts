import { describe, expect, it } from "vitest";
import { configSchemaFor } from "../../../../src/core/config/fields/schema.ts";
import { configIn, textWith } from "../configText.ts";

describe("the schema", () => {
  it("is stable: a complete configuration parses to itself", () => {
    const config = configIn(
      textWith("thinking: true", "loss_fn_config: {clip_high_threshold: 1.3}"),
    );
    expect(configSchemaFor("hosted", config).parse(structuredClone(config))).toEqual(config);
  });

  it("does not coerce text to a number", () => {
    const config = { ...configIn(textWith()), learning_rate: "1e-5" };
    expect(configSchemaFor("hosted", config).safeParse(config).success).toBe(false);
  });
});
