/**
 * The runs table and the comparison of runs: the page with a real session over real folders, from user action to paint. The session
 * has its own process, as in the extension, and times are taken in the page: otherwise the code that drives the browser would be
 * counted too.
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser } from "playwright-core";
import { openServedPage, type ServedPage } from "../test/dashboard/servedPage.ts";
import { THEMES } from "../test/dashboard/themes.ts";
import { writeComparedRuns } from "../test/fakes/comparedRuns.ts";
import { type Row, row } from "./editorTable.ts";

const TABLE_RUNS = 2_000;
const COMPARED_RUNS = 10;
const COMPARED_STEPS = 1_000;
const TRIES = 5;

export async function compareRows(browser: Browser): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "tinker-rl-bench-"));
  const program = [resolve("bench/editorRunsHost.ts")];
  const host = fork(resolve("scripts/run.mjs"), program, { serialization: "advanced" });
  try {
    return [
      ...(await tableRows(browser, host, folder)),
      ...(await comparisonRows(browser, host, folder)),
    ];
  } finally {
    host.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tableRows(
  browser: Browser,
  host: ChildProcess,
  folder: string,
): Promise<readonly Row[]> {
  const parent = join(folder, "many", "runs");
  writeComparedRuns(parent, { count: TABLE_RUNS, steps: 20, tasks: 4 });
  const times: FirstRows[] = [];
  const read: number[] = [];
  const [sorted, filtered]: [number[], number[]] = [[], []];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const { shown, post } = await open(browser, host, parent);
    const { page } = shown;
    await page.locator(".grid-row").first().waitFor();
    const startedAt = performance.now();
    await page.getByText(/^reading/).waitFor({ state: "detached", timeout: 300_000 });
    read.push(performance.now() - startedAt);
    sorted.push(await inPage(shown, SORT));
    filtered.push(await inPage(shown, FILTER));
    times.push(await page.evaluate<FirstRows>("firstRows"));
    await shown.close();
    post.end();
  }
  // The first window reads all runs; later ones only check whether they have grown.
  const [cold = 0, ...warm] = read;
  const [first, ...next] = times;
  return [
    row(
      `table of ${TABLE_RUNS.toLocaleString("en")} runs: first rows painted`,
      next.map(({ painted }) => painted),
      300,
    ),
    row(
      "  of these, until the page asks",
      next.map(({ asked }) => asked),
    ),
    row(
      "  until the extension's answer is here",
      next.map(({ answered, asked }) => answered - asked),
    ),
    row(
      "  until it is painted",
      next.map(({ painted, answered }) => painted - answered),
    ),
    row("  the same, first window", [first?.painted ?? 0]),
    row(
      "  cells of these that change later",
      next.map((own) => own.changed),
      null,
      "",
    ),
    row("  sorted by another column", sorted, 100),
    row("  filtered by an expression", filtered, 100),
    row("  all runs read, first window", [cold]),
    row("  all runs read, next windows", warm),
  ];
}

async function comparisonRows(
  browser: Browser,
  host: ChildProcess,
  folder: string,
): Promise<readonly Row[]> {
  const parent = join(folder, "compared", "runs");
  writeComparedRuns(parent, { count: COMPARED_RUNS, steps: COMPARED_STEPS });
  const drawn: number[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const { shown, post } = await open(browser, host, parent);
    await shown.page.locator(".grid-row").first().waitFor();
    await shown.page.getByText(/^reading/).waitFor({ state: "detached", timeout: 300_000 });
    // Users take longer to select ten runs, so the comparison has loaded by then.
    await shown.page.waitForTimeout(1_000);
    drawn.push(await inPage(shown, COMPARE));
    await shown.close();
    post.end();
  }
  const what = `compare ${COMPARED_RUNS} runs of ${COMPARED_STEPS.toLocaleString("en")} steps`;
  return [row(`${what}: all charts drawn`, drawn, 300)];
}

/** The page of a new window over the runs in `parent`. */
async function open(browser: Browser, host: ChildProcess, parent: string) {
  const [theme] = THEMES;
  host.send(parent);
  await once(host, "message");
  const posting: { post: ServedPage["post"] } = { post: () => undefined };
  const pass = (message: object): void => posting.post(message);
  host.on("message", pass);
  const shown = await openServedPage(
    browser,
    "runs",
    { theme, atStart: RECORD_FIRST_ROWS },
    (message, post) => {
      posting.post = post;
      host.send(message as object); // what the page posts
    },
  );
  return { shown, post: { end: () => host.off("message", pass) } };
}

/** Milliseconds since the page started. */
interface FirstRows {
  /** The page's script has run and requests rows. */
  readonly asked: number;
  readonly answered: number;
  readonly painted: number;
  /** Number of cells in the first painted rows whose text changed once all runs were read. */
  readonly changed: number;
}

const RECORD_FIRST_ROWS = `
  globalThis.firstRows = { changed: 0 };
  const passOn = globalThis.toHost;
  globalThis.toHost = (json) => {
    firstRows.asked ??= performance.now();
    return passOn(json);
  };
  addEventListener("message", ({ data }) => {
    if (data.kind === "rows") firstRows.answered ??= performance.now();
  });
  const cells = () => Object.fromEntries([...document.querySelectorAll(".grid-row")].map((row) => [
    row.querySelector('[data-column="name"]').textContent,
    Object.fromEntries([...row.querySelectorAll("[data-column]")].map((cell) => [cell.dataset.column, cell.textContent])),
  ]));
  const observer = new MutationObserver(() => {
    if (document.querySelector(".grid-row") === null) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => {
      firstRows.painted = performance.now();
      const first = cells();
      const later = new MutationObserver(() => {
        if (document.querySelector(".runs-filter input").value !== "") return later.disconnect();
        const now = cells();
        firstRows.changed = Object.entries(now).reduce((sum, [name, row]) => sum +
          (first[name] === undefined ? 0 : Object.entries(row).filter(([key, text]) => first[name][key] !== text).length), 0);
      });
      later.observe(document, { childList: true, subtree: true, characterData: true });
    }));
  });
  observer.observe(document, { childList: true, subtree: true });
`;

/** Milliseconds returned by a script in the page. */
async function inPage({ page }: ServedPage, script: string): Promise<number> {
  return await page.evaluate<number>(`(async () => {
    const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    ${script}
  })()`);
}

const SORT = `
  const head = document.querySelector('[role="columnheader"][data-column="reward.best"] button');
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
