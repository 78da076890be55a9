import { expect, it } from "vitest";
import { links } from "../../../../../src/core/config/editing/display/links.ts";
import { textWith } from "../../configText.ts";
import { anEnvironment, CATALOGUE, listing, NEW_CHECKPOINT } from "../aCatalogue.ts";

it("environments, checkpoints, and folders link to their locations", () => {
  const text = textWith(
    `resume_from: ${NEW_CHECKPOINT}`,
    "log_path: ../runs",
    "init_from: runs/a@10",
    "evaluation: {splits: {local/depot: [test], 'Own er/Bad': [x]}}",
  );
  const found = links(text, { path: "run.yaml", catalogue: CATALOGUE });
  expect(found.map(({ span, target }) => [text.slice(span.start, span.end), target])).toEqual([
    ["Owner/Game", { kind: "page", url: "https://openreward.ai/Owner/Game" }],
    [NEW_CHECKPOINT, { kind: "checkpoint", path: NEW_CHECKPOINT }],
    ["../runs", { kind: "folder", path: "../runs" }],
    ["runs/a@10", { kind: "folder", path: "runs/a" }],
    ["local/depot", { kind: "environment", name: "local/depot" }],
  ]);
});

it("every setting that names weights is a link, except weights of a stage", () => {
  const teacher = `teacher: {checkpoint: ${NEW_CHECKPOINT}}`;
  const stages = "stages: {a: {init_from: runs/b}, b: {init_from: 'stage:a', kl_reference: base}}";
  const text = textWith("kl_reference: runs/a@10", teacher, stages);
  const found = links(text, { path: "run.yaml", catalogue: CATALOGUE }).slice(1);
  expect(found.map(({ target }) => target)).toEqual([
    { kind: "folder", path: "runs/a" },
    { kind: "checkpoint", path: NEW_CHECKPOINT },
    { kind: "folder", path: "runs/b" },
  ]);
});

it.each(["http://example.org", "javascript:alert(1)", "command:x"])(
  "a page that a list gives as %s is not opened",
  (page) => {
    const environments = listing([anEnvironment("Owner/Game", { page })]);
    const catalogue = { ...CATALOGUE, hosted: { ...CATALOGUE.hosted, environments } };
    const [found] = links(textWith(), { path: "run.yaml", catalogue });
    expect(found?.target).toEqual({ kind: "page", url: "https://openreward.ai/Owner/Game" });
  },
);
