// @vitest-environment happy-dom

import { h } from "preact";
import { expect, it } from "vitest";
import type { RolloutRow } from "../../../../src/shared/dashboardTypes.ts";
import { Replay } from "../../../../webview-ui/views/replay/replay.tsx";
import { aDashboard } from "../../dashboards.ts";
import { drawn } from "../../drawn.ts";

const rolloutKey = { source: "training", step: 0, group: 0, rollout: 0 } as const;
const row = {
  ...rolloutKey,
  environment: "local/calculator",
  split: "train",
  index: 0,
  stop: "done",
  reward: 1,
  advantage: null,
  temperature: null,
  trainingUse: null,
  error: null,
  turns: 1,
  tokens: 1,
  streams: [],
} as unknown as RolloutRow; // only the members it reads

it("the open rollout of a deleted run is not shown under a new run that lacks it", () => {
  const { dashboard, asked, know, startOver } = aDashboard();
  const order = { at: 0, count: 1, go: () => undefined };
  const withRows = (siblings: readonly RolloutRow[]) =>
    h(Replay, { dashboard, rolloutKey, siblings, order });
  const questions = () => asked.filter(({ question }) => question.ask === "rollout");
  know({ id: "run" });
  const { place, draw } = drawn(withRows([row]));
  const old = "What there is to say about the old rollout.";
  questions()[0]?.answer({ kind: "error", id: 1, message: old });
  expect(place.textContent).toContain(old);
  startOver({ id: "run" });
  expect(questions().map(({ isCanceled }) => isCanceled)).toEqual([true, false]);
  draw(withRows([]));
  expect(place.textContent).not.toContain(old);
});
