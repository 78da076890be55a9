/**
 * The dashboard page alone in a browser. Times are CPU time of the page's own thread, so that other load on the machine matters
 * little; they include scripts, styles, layout, and the recording of paint commands.
 */

import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { createFileSystem } from "../src/node/fileSystem.ts";
import { createUniform } from "../src/shared/uniform.ts";
import { openDashboardPage } from "../test/dashboard/dashboardPage.ts";
import { THEMES } from "../test/dashboard/themes.ts";
import { cpuTimer } from "./cpuTimer.ts";
import { readerRow } from "./editorReader.ts";
import { addStep, type BenchRuns, LONG_STEPS } from "./editorRuns.ts";
import { type Row, row } from "./editorTable.ts";
import { timelineRow } from "./editorTimeline.ts";

const TRIES = 9;
const FRAME_MS = 16.7;

export async function pageRows(browser: Browser, runs: BenchRuns): Promise<readonly Row[]> {
  return [
    await chartRow(browser),
    await overviewRow(browser, runs.longSteps),
    await readerRow(browser, runs.wide),
    await timelineRow(browser),
  ];
}

/** A chart like the reward chart: five lines, four of which bound two bands. */
async function chartRow(browser: Browser): Promise<Row> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { LineChart } from "./webview-ui/charts/drawing/lineChart.ts"`,
      resolveDir: ".",
    },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "chart",
    target: "chrome120",
  });
  const page = await browser.newPage({ viewport: { width: 1_200, height: 900 } });
  await page.setContent("<!DOCTYPE html><div id=place></div>");
  await page.addScriptTag({ content: outputFiles[0]?.text ?? "" });
  const uniform = createUniform(1);
  const mean = Array.from({ length: LONG_STEPS }, (_, step) => step / LONG_STEPS + uniform() / 5);
  await page.evaluate(PREPARE_CHART, mean);
  const timer = await cpuTimer(page);
  const samples: number[] = [];
  for (let attempt = 0; attempt <= TRIES; attempt += 1) {
    const before = await timer();
    await page.evaluate("draw()");
    const ms = (await timer()) - before;
    // The first attempt creates the chart.
    if (attempt > 0) samples.push(ms);
  }
  await page.close();
  const what = `one chart of ${LONG_STEPS.toLocaleString("en")} steps, 5 lines, 2 bands: new step`;
  return row(what, samples, FRAME_MS);
}

/** Runs in the page. */
function PREPARE_CHART(mean: readonly number[]): void {
  const page = globalThis as unknown as Record<string, unknown> & {
    chart: typeof import("../webview-ui/charts/drawing/lineChart.ts");
  };
  const place = document.querySelector<HTMLElement>("#place");
  if (place === null) return;
  const nothing = (): void => undefined;
  const chart = new page.chart.LineChart(place, {
    height: 300,
    isSmall: false,
    syncKey: "run",
    onCursor: nothing,
    actions: () => ({ zoom: nothing }),
  });
  const line = (key: string, shift: number, isEdge: boolean) => ({
    key,
    label: key,
    color: "blue" as const,
    width: isEdge ? 0 : 2,
    share: isEdge ? 0 : 1,
    values: Float64Array.from(mean, (value) => value + shift),
  });
  const series = [
    line("mean", 0, false),
    ...[line("high", 0.3, true), line("low", -0.3, true)],
    ...[line("over", 0.1, true), line("under", -0.1, true)],
  ];
  const band = { color: "blue" as const, share: 0.2 };
  page["draw"] = async () => {
    chart.update({
      series,
      marks: [],
      isLog: false,
      xSteps: null,
      formatX: String,
      formatY: String,
      xs: Float64Array.from(mean, (_, step) => step),
      bands: [
        { ...band, upper: "high", lower: "low" },
        { ...band, upper: "over", lower: "under" },
      ],
      xRange: [0, mean.length],
      yRange: [-0.5, 1.5],
    });
    await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
  };
}

/** The whole tab, with the reward chart, the histogram, and all small charts, when a step is added. */
async function overviewRow(browser: Browser, folder: string): Promise<Row> {
  const [theme] = THEMES;
  const fileSystem = createFileSystem();
  const panel = await openDashboardPage(browser, { folder, theme });
  const { page, session } = panel;
  const said = page.locator(".plot").first();
  const rows = async (): Promise<number> => Number(await said.getAttribute("aria-valuemax"));
  while ((await rows()) < LONG_STEPS) await page.waitForTimeout(100);
  // All other columns follow the first ones.
  await page.waitForTimeout(5_000);
  const timer = await cpuTimer(page);
  const samples: number[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const wanted = (await rows()) + 1;
    const before = await timer();
    await addStep(fileSystem, folder, wanted - 1);
    session.refresh();
    while ((await rows()) < wanted) await page.waitForTimeout(50);
    await page.waitForTimeout(200);
    samples.push((await timer()) - before);
  }
  await panel.close();
  await fileSystem.close();
  const what = "  all charts of the overview: new step";
  return row(what, samples);
}
