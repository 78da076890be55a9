import { expect, it } from "vitest";
import { stallsOf } from "../../../src/core/timeline/stalls.ts";
import type { TimeKind, TimelineRow } from "../../../src/shared/timeline.ts";
import { timelineStrings } from "../../../webview-ui/strings/timeline.ts";

function row(rollout: number, spans: readonly (readonly [TimeKind, number])[]): TimelineRow {
  let fromMs = 0;
  const adjoining = spans.map(([kind, ms]) => {
    const span = { kind, fromMs, toMs: fromMs + ms };
    fromMs = span.toMs;
    return span;
  });
  return { group: 0, rollout, environment: "calculator", turns: 2, spans: adjoining };
}

function stalls(toolMs: number) {
  const rows = [0, 1, 2, 3].map((rollout) =>
    row(rollout, [
      ["session", 200],
      ["sampling", 3_000],
      ["tool", toolMs + rollout],
    ]),
  );
  const limits = { maxConcurrentRollouts: null };
  return stallsOf({ rows, toolTurns: [2, 2, 2, 2], phases: null, path: [], limits, isOver: true });
}

it("a stall names the tools that take most of the rollouts' time", () => {
  const texts = stalls(8_000).map((stall) => timelineStrings.stall(stall, undefined));
  expect(texts).toEqual([
    "Tools of calculator took 8.0 s per rollout (median), 71% of the rollouts' time. Faster tools, or more concurrent rollouts (max_active_tasks), shorten the step.",
  ]);
  expect(stalls(1_000)).toEqual([]);
});

it("a stall suggests sampling ahead only if the run does not do so yet", () => {
  const text = (fromMs: number): string => {
    const rows = [0, 1, 2, 3].map((rollout) => {
      const span = { kind: "sampling" as const, fromMs, toMs: fromMs + 3_000 };
      return { group: 0, rollout, environment: "calculator", turns: 2, spans: [span] };
    });
    const phases = {
      startedAtMs: 1,
      takenMs: 2_000,
      pausedMs: 0,
      submittedMs: 2_000,
      trainedMs: 6_000,
      savedMs: 6_000,
      endedMs: 20_000,
    };
    const path = [{ kind: "training" as const, fromMs: 2_000, toMs: 6_000, row: null }];
    const limits = { maxConcurrentRollouts: null };
    const facts = { rows, toolTurns: [0, 0, 0, 0], phases, path, limits, isOver: true };
    return stallsOf(facts)
      .map((stall) => timelineStrings.stall(stall, undefined))
      .join();
  };
  expect(text(0)).toContain("Training took 4.0 s, 100% of the step. With max_steps_off_policy: 1");
  expect(text(-1_000)).toBe(
    "Training took 4.0 s, 100% of the step, while rollouts of the next one continued.",
  );
});
