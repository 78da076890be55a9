import { describe, expect, it } from "vitest";
import { diagnose } from "../../../../../src/core/config/editing/diagnostics/diagnose.ts";
import { fixesAt } from "../../../../../src/core/config/editing/fixes/fixes.ts";
import { applyEdits } from "../../../../../src/core/config/editing/text/textEdit.ts";
import { parse, textWith } from "../../configText.ts";

const OPTIONS = { path: "run.yaml" };

/** The title of each fix and the text after it. */
function fixes(text: string): ReadonlyMap<string, string> {
  const all = fixesAt(text, { start: 0, end: text.length }, OPTIONS);
  return new Map(all.map(({ title, edits }) => [title, applyEdits(text, edits)]));
}

describe("a file without settings", () => {
  it.each(["", "# My run", "# My run\n\n"])("gets a valid configuration: %j", (text) => {
    const [fix] = fixesAt(text, { start: text.length, end: text.length }, OPTIONS);
    expect(fix?.title).toBe("Insert a configuration for the embedded model");
    const after = applyEdits(text, fix?.edits ?? []);
    expect(after.startsWith(text)).toBe(true);
    expect(parse(after)).toMatchObject({ ok: true, warnings: [] });
  });

  it("gets none in JSON", () => {
    expect(fixesAt("", { start: 0, end: 0 }, { path: "run.json" })).toEqual([]);
  });
});

describe("a value of the wrong type has a fix", () => {
  it.each([
    ["save_every: [16]", "Take the value out of the list", "save_every: 16"],
    ["save_every: 16 steps", "Set to 16", "save_every: 16"],
    ["rollout_timeout: 1:30:00", "Set to 5400", "rollout_timeout: 5400"],
    ["max_hours: 1 hour", "Set to 1", "max_hours: 1"],
    ["probe_server: 0", "Set to false", "probe_server: false"],
    ["wandb: yes", "Change to 'offline'", "wandb: offline"],
    ["sampling_seed: ture", "Set to true", "sampling_seed: true"],
  ])("%s", (line, title, after) => {
    expect(fixes(textWith(line)).get(title)).toBe(textWith(after));
  });
});

describe("a key without a space after its colon", () => {
  it.each([
    ["save_every:16", "save_every: 16"],
    ["save_every: 5\nmax_steps:16", "save_every: 5\nmax_steps: 16"],
    ["save_every:16\nmax_steps: 5", "save_every: 16\nmax_steps: 5"],
  ])("%s gets one", (lines, after) => {
    expect(fixes(textWith(lines)).get("Add a space after the colon")).toBe(textWith(after));
  });
});

it("a key that is set twice leaves the fixes of other keys", () => {
  const text = textWith("max_steps: 5\nmax_steps: 6\nwandb: yes");
  expect(fixes(text).get("Change to 'offline'")).toBe(text.replace("yes", "offline"));
  expect(fixes(text).get("Keep the first")).toBe(text.replace("max_steps: 6\n", ""));
});

it.each(["rollout_timeout: 10 min", "max_hours: 1:30", "seed: 16 tasks"])(
  "a number is offered only in the unit of its field, not for %s",
  (line) => {
    const titles = [...fixes(textWith(line)).keys()];
    expect(titles.filter((title) => title.startsWith("Set to"))).toEqual([]);
  },
);

describe("a list in place of a mapping", () => {
  it("becomes a mapping, with its comments", () => {
    const text = `model_name: Qwen/Qwen3-8B
batch_size: 4
environments:
  - Owner/Game: # the first
      num_rollouts: 4
      # what is trained on
      splits:
        - train # all of it
        - test
  - Owner/Other
`;
    const after = fixes(text).get("Write as a mapping");
    expect(after).toBe(`model_name: Qwen/Qwen3-8B
batch_size: 4
environments:
  Owner/Game: # the first
    num_rollouts: 4
    # what is trained on
    splits:
      - train # all of it
      - test
  Owner/Other:
`);
    expect(fixes(after ?? "").get("Write as a mapping")).toContain(
      "    splits:\n      train: # all of it\n      test:\n",
    );
  });

  it("becomes a mapping when it has the indentation of its key", () => {
    const text = "evaluation:\n  splits:\n  - local/depot: [test]\n  - local/calculator: [test]\n";
    expect(fixes(textWith(text)).get("Write as a mapping")).toBe(
      textWith("evaluation:\n  splits:\n    local/depot: [test]\n    local/calculator: [test]\n"),
    );
  });

  it("becomes a mapping from brackets or a single name", () => {
    const text = textWith().replace("      train:\n", "").replace("splits:", "splits: [train]");
    expect(fixes(text).get("Write as a mapping")).toContain("splits: { train: null }");
    expect(fixes(text.replace("[train]", "train")).get("Write as a mapping")).toContain(
      "splits: { train: null }",
    );
  });
});

describe("a line with the wrong indentation", () => {
  it.each([
    ["too far right", "batch_size: 4\n  max_steps: 4\n", "batch_size: 4\nmax_steps: 4\n"],
    [
      "too far right, with its nested lines",
      "batch_size: 4\n evaluation:\n   # which\n   splits: {}\n",
      "batch_size: 4\nevaluation:\n  # which\n  splits: {}\n",
    ],
    [
      "between two levels",
      "batch_size: 4\nevaluation:\n  splits:\n    local/depot: [test]\n   num_samples: 3\n",
      "batch_size: 4\nevaluation:\n  splits:\n    local/depot: [test]\n  num_samples: 3\n",
    ],
  ])("%s is explained once, and moved by a fix", (_what, text, after) => {
    const marks = diagnose(text, OPTIONS).filter(({ code }) => code === "TRL100");
    expect(marks.map(({ message }) => message)).toEqual([
      "This line is not indented like the other keys of its mapping. Align it with them.",
    ]);
    expect(fixes(text).get("Correct the indentation")).toBe(after);
  });
});

it("fixes are tried for all marks in a short text, but only a few at a time in a long one", () => {
  const text = (keys: number) =>
    Array.from({ length: keys }, (_, i) => `batch_sizz${i}: ${i}\n`).join("");
  const marks = (keys: number): number => {
    const all = { start: 0, end: text(keys).length };
    return new Set(fixesAt(text(keys), all, { path: "run.yaml" }).map((fix) => fix.diagnosis)).size;
  };
  expect(marks(15)).toBeGreaterThanOrEqual(15);
  expect(marks(1_000)).toBeLessThanOrEqual(3);
});

describe("in a stage", () => {
  const staged = (...lines: readonly string[]): string =>
    textWith("stages:", "  one:", "    max_steps: 3", "  two:", ...lines, "");

  it("a key is moved within the stage", () => {
    const inStage = ["    max_steps: 5", "    thinking:", "      enabled: true"];
    const text = staged(...inStage, "      learning_rate: 1e-4");
    expect(fixes(text).get("Move to stages.two.learning_rate")).toBe(
      staged(...inStage, "    learning_rate: 1e-4"),
    );
  });

  it("values are swapped only if both belong to the stage", () => {
    const inStage = ["    max_steps: 5", "    environments:", "      Owner/Game:"];
    const own = ["        min_reward: 2", "        max_reward: 1"];
    expect(fixes(staged(...inStage, ...own)).get("Swap min_reward and max_reward")).toContain(
      "        min_reward: 1\n        max_reward: 2\n",
    );
    const shared = staged(...inStage, "        min_reward: 2");
    const text = shared.replace("    splits:", "    max_reward: 1\n    splits:");
    expect(fixes(text).has("Swap min_reward and max_reward")).toBe(false);
  });

  it("keys are indented as far as they belong below the previous key", () => {
    const inStage = ["    evaluation:", "    splits: {Owner/Game: [test]}", "    max_steps: 5"];
    expect(fixes(staged(...inStage)).get("Indent below 'evaluation'")).toContain(
      "    evaluation:\n      splits: {Owner/Game: [test]}\n    max_steps: 5\n",
    );
  });
});

describe("a line with the default value", () => {
  it("leaves an empty mapping when it was the only one", () => {
    const text = textWith("thinking:", "  enabled: true", "seed: 1", "");
    expect(fixes(text).get("Remove 'enabled'")).toBe(textWith("thinking: {}", "seed: 1", ""));
  });

  it("is removed with its own comment, and never with another line's", () => {
    const evaluation = ["evaluation: {", "  splits: { Owner/Game: [test] }, # which"];
    const text = textWith(...evaluation, "  seed: 0, # of tasks", "  at_end: true # too", "}");
    const all = fixes(text);
    expect(all.get("Remove 'seed'")).toBe(text.replace("  seed: 0, # of tasks\n", ""));
    expect(all.has("Remove 'at_end'")).toBe(false);
  });
});
