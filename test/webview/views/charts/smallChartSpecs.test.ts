import { expect, it } from "vitest";
import { foundCharts } from "../../../../webview-ui/views/charts/metricPicker.tsx";
import { listCharts } from "../../../../webview-ui/views/charts/smallChartSpecs.ts";

const NONE = { pinned: [], hidden: [], isForeign: false };

it("charts are grouped by topic, the usual ones first", () => {
  const names = [
    "own",
    "time/tool_s/mean",
    "time/train_s",
    "optim/lr",
    "loss",
    "rollout/turns/mean",
  ];
  expect(listCharts(names, NONE).map(({ title, section }) => [section, title])).toEqual([
    ["reward", "Turns per rollout"],
    ["optimization", "Loss"],
    ["optimization", "optim/lr"],
    ["time", "Seconds per step"],
    ["time", "time/tool_s/mean"],
    ["others", "own"],
  ]);
});

it("standard charts are drawn unless hidden, and others once selected", () => {
  const names = ["loss", "optim/entropy", "optim/lr", "own"];
  const drawn = listCharts(names, { ...NONE, pinned: ["own"], hidden: ["loss"] }).filter(
    ({ isDrawn }) => isDrawn,
  );
  expect(drawn.map(({ id }) => id)).toEqual(["optim/entropy", "own"]);
});

it("a chart is hidden in all runs, whichever of its metrics they have", () => {
  const idOf = (...names: string[]) => listCharts(names, NONE)[0]?.id;
  expect(idOf("time/train_s")).toBe(idOf("time/rollout_s", "time/train_s"));
});

it("metrics of the large chart are not listed, and other metrics of another program's run are drawn, too", () => {
  const names = ["loss", "rollout/reward/mean", "train/acc"];
  const drawn = (isForeign: boolean): readonly string[] =>
    listCharts(names, { ...NONE, isForeign }).flatMap((chart) => (chart.isDrawn ? chart.id : []));
  expect(listCharts(names, NONE).map(({ id }) => id)).toEqual(["loss", "train/acc"]);
  expect(drawn(false)).toEqual(["loss"]);
  expect(drawn(true)).toEqual(["loss", "train/acc"]);
});

it("a search finds a chart by title, metrics or pattern, and uses an invalid pattern literally", () => {
  const charts = listCharts(["optim/grad_norm", "time/train_s", "a(b"], NONE);
  const found = (search: string) => foundCharts(charts, search).map(({ id }) => id);
  expect(found("gradient")).toEqual(["optim/grad_norm"]);
  expect(found("^optim/GRAD_n.rm$")).toEqual(["optim/grad_norm"]);
  expect(found("train_s")).toEqual(["time/rollout_s"]);
  expect(found("a(")).toEqual(["a(b"]);
});
