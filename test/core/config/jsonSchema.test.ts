import { readFileSync } from "node:fs";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { checkText } from "../../../src/core/config/check.ts";
import { configJsonSchema } from "../../../src/core/config/jsonSchema.ts";
import { messagesIn, textWith } from "./configText.ts";

// From the MCP package: an independent validator of draft 07.
const validate = new AjvJsonSchemaValidator().getValidator(configJsonSchema());

describe("the JSON schema", () => {
  it("has the range, default, and documentation of a field", () => {
    expect(configJsonSchema()["properties"]).toMatchObject({
      adam_beta1: { type: "number", minimum: 0, exclusiveMaximum: 1, default: 0.9 },
      num_epochs: { type: ["integer", "null"], default: null },
      zero_variance: { enum: ["drop", "keep", null] },
      learning_rate: { markdownDescription: expect.stringContaining("models: `0.001`") },
    });
  });

  it.each(["local", "hosted", "agents"])(
    "accepts the %s example and rejects unknown keys in it",
    (name) => {
      const example: unknown = parseYaml(
        readFileSync(`examples/${name}/tinker-config.yaml`, "utf8"),
      );
      expect(validate(example).errorMessage).toBeUndefined();
      expect(validate({ ...Object(example), zzz: 1 }).valid).toBe(false);
    },
  );

  it.each(["wandb_run_name: 7", "system_prompt_template: true", "tokenizer_name: null"])(
    "accepts %s, as the parser does",
    (line) => {
      const text = textWith(line).replace("train:", "train: {}");
      expect(messagesIn(text)).toEqual([]);
      expect(validate(parseYaml(text)).errorMessage).toBeUndefined();
    },
  );

  const stages = (first: string, second: string): string =>
    `stages:\n  imitate: { method: sft, data: [{ run: runs/a }], max_steps: 4${first} }\n  reinforce: { max_steps: 4${second} }\n`;

  it.each([
    ["in the file", true, "batch_size: 8\n"],
    ["in the file and its stages", true, `batch_size: 8\n${stages("", ", batch_size: 4")}`],
    ["in each stage", true, stages(", batch_size: 16", ", batch_size: 8")],
    ["in one of two stages", false, stages(", batch_size: 16", "")],
    ["nowhere", false, stages("", "")],
    ["nowhere, without stages", false, "stages: null\n"],
  ])("validates batch_size %s as the parser does", (_, isComplete, own) => {
    const text = `model_name: local/tiny-tool\nenvironments:\n  local/calculator: { splits: { train: {} }, num_rollouts: 8, nonterminal_reward: 0 }\nmax_steps: 4\n${own}`;
    const { problems } = checkText(text, { path: "a.yaml", overrides: [] });
    expect(problems.some(({ message }) => message.includes("batch_size"))).toBe(!isComplete);
    expect(validate(parseYaml(text)).valid).toBe(isComplete);
  });
});
