import { expect, it } from "vitest";
import { lenses } from "../../../../../src/core/config/editing/display/lenses.ts";
import { textWith } from "../../configText.ts";
import { CATALOGUE } from "../aCatalogue.ts";

type Status = Parameters<typeof lenses>[1]["status"];

function titles(status: Status, text = textWith()): readonly string[] {
  return lenses(text, { path: "run.yaml", catalogue: CATALOGUE, status }).map(({ title }) => title);
}

it("a configuration can be started, validated, and estimated, and shows its last run", () => {
  const start = ["Start Training", "Validate", "Estimate"];
  const environment = "128 train tasks · 2 tools";
  expect(titles({ kind: "none" })).toEqual([...start, environment]);
  expect(titles({ kind: "ended", outcome: "done", reward: 0.912 })).toEqual([
    ...start,
    "Last run: done, 0.91",
    environment,
  ]);
});

it("a running run shows its completed steps, with the reward of the latest", () => {
  const running = { kind: "running", completed: 12, reward: 0.63 } as const;
  expect(titles({ ...running, steps: 200 }).slice(0, 3)).toEqual([
    "Stop and Save",
    "Step 12/200 · 0.63",
    "Open Dashboard",
  ]);
  expect(titles({ ...running, steps: null, reward: null })).toContain("Step 12");
});

it("environments have lenses on their own line, even in a broken text", () => {
  const text = textWith("learning_rate: [");
  const found = lenses(text, { path: "run.yaml", catalogue: CATALOGUE, status: { kind: "none" } });
  expect(found.map(({ span }) => text.slice(span.start, span.end))).toEqual([
    "",
    "",
    "",
    "Owner/Game",
  ]);
});

it("each stage can be trained alone, and has lenses for its own data", () => {
  const text = `model_name: local/tiny-tool
batch_size: 4
max_steps: 2
stages:
  gather: { method: collect, environments: { local/calculator: { splits: { train: {} }, num_rollouts: 2 } } }
  imitate:
    method: sft
    data: [{ run: "stage:gather" }, { path: plays.jsonl }]
`;
  const facts = { kind: "unreadable", message: "gone" } as const;
  const found = lenses(text, {
    path: "run.yaml",
    status: { kind: "none" },
    factsOf: ({ path, source }) =>
      path.join(".") === "stages.imitate.data.1" && source.path !== null ? facts : null,
  });
  const shown = found.slice(3).map(({ span, title }) => [text.slice(span.start, span.end), title]);
  expect(shown).toEqual([
    ["gather", "Train This Stage Alone"],
    ["imitate", "Train This Stage Alone"],
    ["{ path: plays.jsonl }", "cannot be read"],
  ]);
});
