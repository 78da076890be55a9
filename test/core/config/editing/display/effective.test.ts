import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { effectiveConfig } from "../../../../../src/core/config/editing/display/effective.ts";
import { parseConfig } from "../../../../../src/core/config/parse.ts";
import { textWith } from "../../configText.ts";

it.each(["local", "hosted", "agents"])(
  "the effective form of the %s example is what a run gets",
  (name) => {
    const path = `examples/${name}/tinker-config.yaml`;
    const text = readFileSync(path, "utf8");
    const result = parseConfig(text, { path });
    expect(parseYaml(effectiveConfig(text, { path }))).toEqual(result.ok && result.config);
  },
);

describe("every effective value", () => {
  it("shows its origin", () => {
    const text = textWith("seed: 7", "thinking: on");
    const lines = effectiveConfig(text, { path: "run.yaml", overrides: ["batch_size=9"] });
    expect(lines).toContain("\nseed: 7 # line 8\n");
    expect(lines).toContain("\nbatch_size: 9 # override batch_size=9\n");
    expect(lines).toContain("\nsave_every: 10 # default\n");
    expect(lines).toContain("\nrolling_save_every: null # default; resolves to 5\n");
    expect(lines).toContain("\n  enabled: true # line 9\n");
  });

  it("in a stage shows where the stage sets it", () => {
    const text = textWith("seed: 7", "stages:", "  one:", "    max_steps: 3", "    seed: 9");
    const lines = effectiveConfig(text, { path: "run.yaml", overrides: ["stage=one"] });
    expect(lines).toContain("\nseed: 9 # line 12\n");
    expect(lines).toContain("\nmax_steps: 3 # line 11\n");
    expect(lines).toContain("\nbatch_size: 4 # line 2\n");
  });

  it("may have a different default for a local model", () => {
    const text = textWith().replace("Qwen/Qwen3-8B", "local/tiny-tool");
    expect(effectiveConfig(text, { path: "run.yaml" })).toContain(
      "\nlearning_rate: 1e-3 # default for local/ models\n",
    );
  });

  it("is null for a secret, and masked when it looks like a secret under another key", () => {
    const text = textWith("secrets: {token: abcdefghi}", "run_name: tml-abcdefghijklmnop");
    const shown = effectiveConfig(text, {
      path: "run.yaml",
      overrides: ["secrets.other=hidden-words"],
    });
    expect(shown).not.toMatch(/abcdefghi|hidden/);
    expect(shown).toContain("  token: null # line 8");
    expect(shown).toContain('run_name: "***"');
  });

  it("is marked as a replacement when the file's value is invalid", () => {
    const shown = effectiveConfig(textWith("seed: x"), { path: "run.yaml" });
    expect(shown).toContain("# The file has an error.");
    expect(shown).toContain("seed: 42 # replaces an invalid value");
  });

  it("stays on its line, whatever the file contains", () => {
    const text = textWith(
      'tokenizer_name: "a\\nb: 1\\u2028c"',
      "system_prompt_template: |-",
      "  x",
      "  y",
    );
    const shown = effectiveConfig(text, { path: "run.yaml" });
    expect(parseYaml(shown)).toMatchObject({
      tokenizer_name: "a\nb: 1\u2028c",
      system_prompt_template: "x\ny",
    });
  });
});
