import { describe, expect, expectTypeOf, it } from "vitest";
import {
  type Config,
  configSchemaFor,
  type EnvironmentConfig,
} from "../../../../src/core/config/fields/schema.ts";
import { configIn, textWith } from "../configText.ts";

describe("the schema", () => {
  it("is stable: a complete configuration parses to itself", () => {
    const config = configIn(
      textWith("thinking: true", "loss_fn_config: {clip_high_threshold: 1.3}"),
    );
    expect(configSchemaFor("hosted", config).parse(structuredClone(config))).toEqual(config);
  });

  it("produces the types of the field table", () => {
    expectTypeOf<Config["model_name"]>().toEqualTypeOf<string>();
    expectTypeOf<Config["zero_variance"]>().toEqualTypeOf<"drop" | "keep" | null>();
    expectTypeOf<Config["environments"]>().toEqualTypeOf<
      Readonly<Record<string, EnvironmentConfig>>
    >();
    expectTypeOf<EnvironmentConfig["top_p"]>().toEqualTypeOf<number | null>();
  });

  it("does not coerce text to a number", () => {
    const config = { ...configIn(textWith()), learning_rate: "1e-5" };
    expect(configSchemaFor("hosted", config).safeParse(config).success).toBe(false);
  });
});
