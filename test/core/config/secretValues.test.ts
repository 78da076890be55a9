import { expect, it } from "vitest";
import { withoutSecretValues } from "../../../src/core/config/secretValues.ts";
import { configIn, textWith, textWithEnvironment } from "./configText.ts";

it("values under secrets are removed in any form, and everything else stays as written", () => {
  const text = `${textWithEnvironment("secrets: {pin: 12, 'other': \"a\\\\u0062c\" } # here")}
secrets: # all of them
  short: a
  looked_up:
  withheld: ""
  block: |
    hunter
    hunter
  quoted: 'it''s'  # not this
max_steps: 12
`;
  const cleaned = withoutSecretValues(text);
  expect(cleaned).toBe(`${textWithEnvironment("secrets: {pin: null, 'other': null } # here")}
secrets: # all of them
  short: null
  looked_up:
  withheld: ""
  block: null
  quoted: null  # not this
max_steps: 12
`);
  expect(configIn(cleaned).secrets).toEqual({
    short: null,
    looked_up: null,
    withheld: "",
    block: null,
    quoted: null,
  });
});

it("a value is found through an alias or a merge", () => {
  const text = textWith(
    "wandb_run_name: &name hunter",
    "secrets:",
    "  <<: &base {pin: 1234}",
    "  token: *name",
  );
  expect(withoutSecretValues(text)).toBe(text.replace("hunter", "null").replace("1234", "null"));
});

it("JSON is cleaned in the same way", () => {
  const text = '{"secrets": {"a": "x\\"y", "b": 1}, "seed": 1}';
  expect(withoutSecretValues(text)).toBe('{"secrets": {"a": null, "b": null}, "seed": 1}');
});
