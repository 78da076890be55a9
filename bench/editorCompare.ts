/**
 * The runs table and the comparison of runs, in the page with a real session over real folders, as the editor shows them: from what
 * the person does to what is painted.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { openRunsPage, type RunsPage } from "../test/dashboard/runsPage.ts";
import { THEMES } from "../test/dashboard/themes.ts";
import { writeComparedRuns } from "../test/fakes/comparedRuns.ts";
import type { Row } from "./editorTable.ts";

const TABLE_RUNS = 2_000;
const COMPARED_RUNS = 10;
const COMPARED_STEPS = 1_000;
const TRIES = 5;

export async function compareRows(browser: Browser): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "tinker-rl-bench-"));
  try {
    return [...(await tableRows(browser, folder)), ...(await comparisonRows(browser, folder))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tableRows(browser: Browser, folder: string): Promise<readonly Row[]> {
  const parent = join(folder, "many", "runs");
  writeComparedRuns(parent, { count: TABLE_RUNS, steps: 20, tasks: 4 });
  const samples = { first: [] as number[], read: [] as number[], sorted: [] as number[] };
  const filtered: number[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const shown = await open(browser, parent);
    const { page } = shown;
    // From the page's script on, which is when the editor's own part is over.
    samples.first.push(await painted(shown, () => page.locator(".grid-row").first().waitFor()));
    const startedAt = performance.now();
    await page.getByText(/^reading/).waitFor({ state: "detached", timeout: 300_000 });
    samples.read.push(performance.now() - startedAt);
    samples.sorted.push(await inPage(shown, SORT));
    filtered.push(await inPage(shown, FILTER));
    await shown.close();
  }
  const what = `table of ${TABLE_RUNS.toLocaleString("en")} runs: `;
  // The first window reads all runs; the next ones only ask whether they have grown.
  const [cold = 0, ...warm] = samples.read;
  return [
    { what: `${what}first rows`, samples: samples.first, unit: "ms", budget: 300 },
    { what: "  sorted by another column", samples: samples.sorted, unit: "ms", budget: 100 },
    { what: "  filtered by an expression", samples: filtered, unit: "ms", budget: 100 },
    { what: "  all runs read, first window", samples: [cold], unit: "ms", budget: null },
    { what: "  all runs read, next windows", samples: warm, unit: "ms", budget: null },
  ];
}

async function comparisonRows(browser: Browser, folder: string): Promise<readonly Row[]> {
  const parent = join(folder, "compared", "runs");
  writeComparedRuns(parent, { count: COMPARED_RUNS, steps: COMPARED_STEPS });
  const drawn: number[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const shown = await open(browser, parent);
    await shown.page.getByText(/^reading/).waitFor({ state: "detached", timeout: 300_000 });
    drawn.push(await inPage(shown, COMPARE));
    await shown.close();
  }
  const what = `compare ${COMPARED_RUNS} runs of ${COMPARED_STEPS.toLocaleString("en")} steps`;
  return [{ what: `${what}: all charts drawn`, samples: drawn, unit: "ms", budget: 300 }];
}

function open(browser: Browser, parent: string): Promise<RunsPage> {
  const [theme] = THEMES;
  if (theme === undefined) throw new Error("There is no theme.");
  return openRunsPage(browser, { parent, theme });
}

/** Milliseconds from the start of the page to what `wait` waits for. */
async function painted({ page }: RunsPage, wait: () => Promise<void>): Promise<number> {
  await wait();
  return await page.evaluate<number>("performance.now()");
}

/** Milliseconds that a script of the page returns. */
async function inPage({ page }: RunsPage, script: string): Promise<number> {
  return await page.evaluate<number>(`(async () => {
    const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    ${script}
  })()`);
}

const SORT = `
  const head = [...document.querySelectorAll(".grid-head button")].find((own) => own.textContent === "Best");
  const startedAt = performance.now();
  head.click();
  await painted();
  return performance.now() - startedAt;`;

const FILTER = `
  const input = document.querySelector("#runs-filter");
  input.value = "learning_rate < 1e-3 reward.best > 0.2";
  const startedAt = performance.now();
  input.dispatchEvent(new Event("input", { bubbles: true }));
  await painted();
  return performance.now() - startedAt;`;

const COMPARE = `
  const grid = document.querySelector(".runs-grid");
  grid.focus();
  const startedAt = performance.now();
  grid.dispatchEvent(new KeyboardEvent("keydown", { key: "a", ctrlKey: true, bubbles: true, cancelable: true }));
  const isDrawn = () => {
    const values = [...document.querySelectorAll(".compare-chart")].map((own) => own.querySelectorAll(".compare-values b"));
    return values.length > 0 && values.every((own) => own.length === ${COMPARED_RUNS} && [...own].every((b) => b.textContent !== "–"));
  };
  while (!isDrawn()) await new Promise((done) => setTimeout(done, 5));
  await painted();
  return performance.now() - startedAt;`;
