import { expect, it } from "vitest";
import type { EventView } from "../../src/shared/panelModel.ts";
import { ColumnStore } from "../../webview-ui/columns.ts";
import type { PanelModel } from "../../webview-ui/panelModel.ts";
import { firstViewState } from "../../webview-ui/viewState.ts";
import { rewardParts } from "../../webview-ui/views/rewardParts.ts";

function event(kind: string, step: number | null): EventView {
  return { kind, step, timeMs: 1_000, attempt: 1, level: "info", message: "" };
}

function aPanel(events: readonly EventView[]): PanelModel {
  const columns = new ColumnStore();
  columns.reset(["rollout/reward/mean"]);
  const values = Float64Array.from({ length: 10 }, (_, step) => step);
  columns.append({
    rows: 10,
    steps: { name: "step", fromRow: 0, values },
    columns: [{ name: "rollout/reward/mean", fromRow: 0, values }],
  });
  const facts = { checkpoints: { value: [] }, evaluations: { value: [] } };
  const view = { value: firstViewState(0) };
  const panel = { columns, view, events: { value: events }, ...facts };
  return panel as unknown as PanelModel; // as much of it as the parts of the chart need
}

it("other settings and pauses, also of an environment that is full, are marked where they took effect", () => {
  const { marks } = rewardParts(
    aPanel([
      event("run-started", 0),
      event("run-paused", 3),
      event("run-continued", 3),
      event("run-retuned", 3),
      event("capacity-paused", 6),
      event("run-retuned", null),
    ]),
    null,
  );
  expect(marks).toEqual([
    { kind: "settings", x: 3 },
    { kind: "pause", x: 3 },
    { kind: "pause", x: 6 },
  ]);
});
