import { expect, it } from "vitest";
import { parseConfig } from "../../../src/core/config/parse.ts";
import { requireNoSecret } from "../../../src/host/runs/requireNoSecret.ts";
import { textWith } from "../../core/config/configText.ts";

const text = textWith("secrets: { token: null }");
const check = (...overrides: readonly string[]) =>
  requireNoSecret({ parsed: parseConfig(text, { path: "run.yaml", overrides }), overrides });

it.each(["secrets.token=hunter-2", "secrets={token: hunter-2}"])(
  "rejects a secret in an override without showing it: %s",
  (override) => {
    expect(() => check("max_steps=3", override)).toThrow(/^secrets(\.token)? is set in a file/);
    expect(() => check("max_steps=3", override)).not.toThrow(/hunter/);
  },
);

it("accepts other overrides, including permission to look up a secret", () => {
  expect(() => check("max_steps=3", "secrets.token=null", "learning_rate = 1e-4")).not.toThrow();
});
