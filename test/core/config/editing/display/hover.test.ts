import { describe, expect, it } from "vitest";
import { type HoverOptions, hover } from "../../../../../src/core/config/editing/display/hover.ts";
import { textWith, textWithEnvironment } from "../../configText.ts";
import { aCheckpoint, anEnvironment, CATALOGUE, listing, NEW_CHECKPOINT } from "../aCatalogue.ts";

const OPTIONS: HoverOptions = { path: "run.yaml", catalogue: CATALOGUE };

/** The hover text at the first occurrence of `word`. */
function shown(text: string, word: string, options = OPTIONS): string {
  return hover(text, text.indexOf(word) + 1, options)?.markdown ?? "";
}

it("a key has its documentation, type, range, default, and when it may change", () => {
  const markdown = shown(textWith("learning_rate: 2e-5"), "learning_rate");
  expect(markdown).toContain("Adam's peak learning rate");
  expect(markdown).toContain("*number >= 0* · default `4e-5`, `1e-3` for `local/` models");
  expect(markdown).toContain("Can be changed during a run.");
  expect(markdown).toContain("Suggested for RL with LoRA: `1e-5` to `4e-5`");
});

describe("the effective value", () => {
  it("has its origin", () => {
    const text = textWith("learning_rate: 2e-5");
    expect(shown(text, "learning_rate")).toContain("Effective: `2e-5` (line 8)");
    const overridden = { ...OPTIONS, overrides: ["learning_rate=3e-5"] };
    expect(shown(text, "learning_rate", overridden)).toContain("Effective: `3e-5` (override");
  });

  it("is that of the stage in which the value is written", () => {
    const stages = ["stages:", "  one: { seed: 8, max_steps: 3 }", "  two: { max_steps: 5 }"];
    const text = textWith("seed: 7", ...stages);
    expect(shown(text, "seed: 7")).toContain("Effective: `7` (line 8)");
    expect(shown(text, "seed: 8")).toContain("Effective: `8` (line 10)");
    expect(shown(text, "max_steps: 5")).toContain("Effective: `5` (line 11)");
    const chosen = { ...OPTIONS, overrides: ["stage=one"] };
    expect(shown(text, "seed: 7", chosen)).not.toContain("Effective");
    const overridden = { ...OPTIONS, overrides: ["max_steps=9"] };
    expect(shown(text, "max_steps: 5", overridden)).toContain("Effective: `9` (override");
  });

  it("shows what null resolves to", () => {
    const buffer = textWith("overlong_buffer: null");
    expect(shown(buffer, "overlong_buffer")).toContain("which resolves to `819`");
    const text = textWith("rolling_save_every: null");
    expect(shown(text, "rolling_save_every")).toContain("Effective: `null`, which resolves to `5`");
  });
});

it("a split of a stage belongs to its environment", () => {
  const stage = "  two: { environments: { Owner/Game: { splits: { test: {} } } } }";
  expect(shown(textWith("stages:", stage), "test:")).toContain("split of `Owner/Game`");
});

describe("names", () => {
  it("of models show context length and rank", () => {
    expect(shown(textWith(), "Qwen/Qwen3-8B")).toContain("32,768 tokens · rank up to 64");
  });

  it("of environments show splits, tools, and the age of the list", () => {
    const markdown = shown(textWith(), "Owner/Game");
    expect(markdown).toContain("`train` (128 tasks), `test` (32 tasks)");
    expect(markdown).toContain("Tools: `a`, `b`");
    expect(markdown).toContain("3 h 00 min old");
  });

  it("of checkpoints show run, step, and reward", () => {
    const catalogue = {
      ...CATALOGUE,
      hosted: {
        ...CATALOGUE.hosted,
        checkpoints: listing([aCheckpoint(NEW_CHECKPOINT, { expiresInMs: 7200_000 })]),
      },
    };
    const markdown = shown(textWith(`resume_from: ${NEW_CHECKPOINT}`), NEW_CHECKPOINT, {
      ...OPTIONS,
      catalogue,
    });
    expect(markdown).toContain("**`first · step 50`**");
    expect(markdown).toContain("reward 0.63");
    expect(markdown).toContain("expires in 2 h 00 min");
  });
});

describe("secrets", () => {
  it.each(["secrets: {OPENAI_API_KEY: null}", "secrets: {openai_api_key: }"])(
    "only show whether they are set: %s",
    (line) => {
      const word = line.slice(line.indexOf("{") + 1, line.indexOf(":", 10));
      expect(shown(textWith(line), word)).toContain("Not set.");
      const secrets = [{ name: "OPENAI_API_KEY", origin: "dotenv" }] as const;
      const options = { ...OPTIONS, catalogue: { ...CATALOGUE, secrets } };
      expect(shown(textWith(line), word, options)).toContain("Set, from .env.");
    },
  );

  it("in headers are looked up as their variables", () => {
    const secrets = [{ name: "OPENAI_API_KEY", origin: "dotenv" }] as const;
    const options = { ...OPTIONS, catalogue: { ...CATALOGUE, secrets } };
    const text = textWith("tinker_headers: {OpenAI-API-Key: null}");
    expect(shown(text, "null}", options)).toContain("Set, from .env.");
  });

  it("written in the file are not shown, nor are values that look like secrets elsewhere", () => {
    const text = textWith("secrets: {a_key: 'hidden words'}", "run_name: tml-abcdefghijklmnop");
    for (const word of ["a_key", "hidden", "run_name", "tml-"]) {
      expect(shown(text, word)).not.toMatch(/hidden|tml-/);
    }
    expect(shown(text, "hidden")).toContain("The value is in this file");
  });
});

it("text from a service cannot become a link, an image, or HTML", () => {
  const description =
    "![x](https://evil.example/a.png) <img src=x> [y](command:z) `code` https://evil.example\n# Title";
  const environments = listing([anEnvironment("Owner/Game", { description, tools: ["a`b"] })]);
  const catalogue = { ...CATALOGUE, hosted: { ...CATALOGUE.hosted, environments } };
  const markdown = shown(textWith(), "Owner/Game", { ...OPTIONS, catalogue });
  expect(markdown).not.toMatch(/(?<!\\)[<[]|\n# |https:\/\//);
});

it("comments and unknown keys have no hover", () => {
  const text = textWithEnvironment("zzz: 1 # note");
  for (const word of ["# note", "zzz"]) expect(shown(text, word)).toBe("");
});

const PATH_ONLY = { path: "run.yaml" };

describe("the hover of a split", () => {
  const text = textWith();
  const at = text.indexOf("train:");

  it("shows what is known about it", () => {
    const markdown = hover(text, at, { ...PATH_ONLY, catalogue: CATALOGUE })?.markdown ?? "";
    expect(markdown).toContain("128 tasks");
    expect(markdown).toContain("`test` (32 tasks)");
    expect(markdown).toContain("`Owner/Game`");
  });

  it("reports when nothing is known", () => {
    expect(hover(text, at, PATH_ONLY)?.markdown).toContain("No details are known");
  });

  it("lists the existing splits for one that does not exist", () => {
    const odd = text.replace("train:", "trian:");
    const markdown = hover(odd, at, { ...PATH_ONLY, catalogue: CATALOGUE })?.markdown ?? "";
    expect(markdown).toContain("has no such split");
    expect(markdown).toContain("`train` (128 tasks)");
  });
});
