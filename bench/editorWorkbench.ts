/** The packaged extension in a real VS Code, timed from a user action to the frame that shows its effect. */

import type { Frame, Page } from "playwright-core";
import { createFileSystem } from "../src/node/fileSystem.ts";
import { until } from "../test/editor/journey.ts";
import { tinkerRlServer } from "../test/editor/tinkerRlServer.ts";
import { freshPage, launchBrowser, workbenchUrl } from "../test/workbench/browser.ts";
import { packagedExtension } from "../test/workbench/packagedExtension.ts";
import { memoryMb } from "../test/workbench/processes.ts";
import { startServer, type WorkbenchServer } from "../test/workbench/server.ts";
import { Workbench } from "../test/workbench/workbench.ts";
import { hostHeapMb, inspectHost, ownStretchesMs } from "./editorHostInspector.ts";
import { type OpeningTimes, openingTimes, PROBE, scrollBlanks, timeToSee } from "./editorProbe.ts";
import {
  type BenchRuns,
  FOLLOWED_STEPS,
  STEPS,
  WIDE_ROLLOUTS,
  WIDE_STEPS,
  writeGrowingRun,
} from "./editorRuns.ts";
import { type Row, row } from "./editorTable.ts";

const TRIES = 7;
const RELOADS = 4;
const ID = "tinker-rl.tinker-rl";
const CLOSE = "Control+Alt+F8";
/** Five steps per second, faster than any model trains. */
const STEP_PAUSE_MS = 100;
const WHEEL_PX = 240;
const LONG_MS = 20;

interface Stage {
  readonly page: Page;
  readonly workbench: Workbench;
  readonly server: WorkbenchServer;
  readonly workspace: string;
}

export async function workbenchRows({ workspace }: BenchRuns): Promise<readonly Row[]> {
  const server = await startServer({
    vsix: packagedExtension(),
    keys: { "ctrl+alt+f8": "workbench.action.closeAllEditors" },
  });
  const browser = await launchBrowser();
  try {
    const page = await freshPage(browser, server.authority);
    await page.context().addInitScript(PROBE);
    const workbench = new Workbench(page);
    await page.goto(workbenchUrl(server.authority, workspace), { waitUntil: "domcontentloaded" });
    await workbench.ready();
    const stage = { page, workbench, server, workspace };
    const heapBefore = await heap(stage);
    await workbench.show("Tinker RL");
    const activation = await activationRows(stage);
    const host = await inspectHost(await until("the extension host", () => server.hostPid()));
    const rows: Row[] = [];
    const stretches = await ownStretchesMs(host, async () => {
      rows.push(...(await openingRows(stage)), ...(await tableRows(stage)));
      rows.push(...(await hiddenRows(stage)));
    });
    host.close();
    rows.push(...(await memoryRows(stage, heapBefore)));
    const typing = await typingRows(stage);
    return [...activation, ...rows, ...typing, ...stretchRows(stretches)];
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function activationRows({ workbench }: Stage): Promise<readonly Row[]> {
  const loads: number[] = [];
  const activations: number[] = [];
  for (let attempt = 0; attempt < RELOADS; attempt += 1) {
    if (attempt > 0) await workbench.reload();
    await workbench.row(/^run steps, done/).waitFor();
    const { load, activate } = await workbench.activation(ID);
    loads.push(load);
    activations.push(activate);
  }
  return [row("activate()", activations, 50), row("  loading of its code before", loads)];
}

/** Opens another run in between, so that the host must read each run from the start. */
async function openingRows(stage: Stage): Promise<readonly Row[]> {
  const times: OpeningTimes[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    await openRun(stage, "wide");
    await close(stage);
    const frame = await openRun(stage, "steps");
    times.push(await openingTimes(stage.page, frame));
    await close(stage);
  }
  const what = `panel ready to first chart, ${thousands(STEPS)} steps`;
  return [
    row(
      what,
      times.map(({ readyMs }) => readyMs),
      500,
    ),
    row(
      "  until its first numbers are here",
      times.map(({ numbersMs }) => numbersMs),
    ),
    row(
      "  from the click on the run",
      times.map(({ wholeMs }) => wholeMs),
    ),
  ];
}

async function tableRows(stage: Stage): Promise<readonly Row[]> {
  const frame = await openRun(stage, "wide");
  await timeToSee(frame, { at: "#tab-rollouts", see: ".grid-row" });
  const all = { see: ".filter-count", text: `${thousands(WIDE_ROLLOUTS)} rollouts` };
  await frame.waitForFunction(
    (text) => document.querySelector(".filter-count")?.textContent?.includes(text),
    all.text,
  );
  const rollout = await rolloutTimes(frame);
  const first: number[] = [];
  const whole: number[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const isRound = attempt % WIDE_STEPS === WIDE_STEPS - 1;
    const buttons = ".step-navigator button";
    const at = isRound ? `${buttons}.toggle` : `${buttons}:first-child`;
    const startedAt = performance.now();
    first.push(await timeToSee(frame, { at, see: ".grid-row" }));
    await timeToSee(frame, { ...all, at: ".filter-count" });
    whole.push(performance.now() - startedAt);
  }
  const { frames, blank } = await scroll(stage, frame);
  const filter = await filterTimes(frame);
  await close(stage);
  return [
    row(`table of ${thousands(WIDE_ROLLOUTS)} rollouts: first rows`, first, 300),
    row("  all rows", whole, null),
    row("  blank frames", [blank], 0, `of ${frames}`),
    row("  a text is typed into its filter", filter, null),
    row("open a rollout of 8,000 tokens: text", rollout.text, 150),
    row("open a rollout of 8,000 tokens: tokens", rollout.tokens, 400),
  ];
}

async function rolloutTimes(frame: Frame) {
  const text: number[] = [];
  const tokens: number[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    text.push(await timeToSee(frame, { at: "#rollout-row-0", see: ".reward-footer" }));
    const mode = (position: string) => `.segments button:${position}`;
    tokens.push(await timeToSee(frame, { at: mode("last-of-type"), see: ".token-boxes .token" }));
    await timeToSee(frame, { at: mode("first-of-type"), see: ".reward-footer" });
    await timeToSee(frame, { at: ".replay .back", see: ".trajectories[data-open=false]" });
  }
  return { text, tokens };
}

async function scroll({ page }: Stage, frame: Frame) {
  const grid = frame.locator(".grid");
  await grid.hover();
  return await scrollBlanks(frame, async () => {
    for (let turn = 0; turn < 60; turn += 1) await page.mouse.wheel(0, WHEEL_PX);
    await page.waitForTimeout(500);
  });
}

async function filterTimes(frame: Frame): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const at = "#rollout-filter";
    // A group number, which few rollouts have.
    const type = `${100 + attempt}·1`;
    samples.push(await timeToSee(frame, { at, type, see: ".filter-count", text: " of " }));
    await timeToSee(frame, { at, type: "", see: ".filter-count", text: "rollouts" });
  }
  return samples;
}

/** A hidden page is unloaded along with its timers. */
async function hiddenRows(stage: Stage): Promise<readonly Row[]> {
  await openRun(stage, "steps");
  await stage.workbench.open("tinker-config.yaml");
  const { page } = stage;
  await page.waitForTimeout(1_000);
  const visible = page.locator("iframe.webview:visible");
  const all = page.locator("iframe.webview");
  const samples = [await all.count()];
  if ((await visible.count()) > 0) throw new Error("The dashboard is not hidden.");
  await close(stage);
  return [{ what: "pages of a hidden panel", samples, unit: "", budget: 0 }];
}

/** Memory that the extension adds to its host, and total memory of the host while a growing run is watched; after garbage collection. */
async function memoryRows(stage: Stage, heapBefore: number): Promise<readonly Row[]> {
  const { server, workspace } = stage;
  await openRun(stage, "steps");
  const shown = (await heap(stage)) - heapBefore;
  await close(stage);
  let isOver = false;
  const size = { steps: FOLLOWED_STEPS, pauseMs: STEP_PAUSE_MS };
  const fileSystem = createFileSystem();
  const written = writeGrowingRun(fileSystem, workspace, size).finally(() => {
    isOver = true;
  });
  await openRun(stage, "followed");
  const hosts: number[] = [];
  const servers: number[] = [];
  while (!isOver) {
    await stage.page.waitForTimeout(1_000);
    hosts.push(memoryMb(server.hostPid() ?? 0));
    servers.push(memoryMb(tinkerRlServer(server) ?? 0));
  }
  await written;
  await fileSystem.close();
  const followed = (await heap(stage)) - heapBefore;
  await close(stage);
  return [
    row(`added to the host's heap, ${thousands(STEPS)} steps shown`, [shown], 60, "MB"),
    row(`  after a run of ${FOLLOWED_STEPS} steps was followed`, [followed], 60, "MB"),
    row("  whole host meanwhile, garbage included, at most", [Math.max(...hosts)], null, "MB"),
    row("  the extension's server meanwhile, at most", [Math.max(...servers)], null, "MB"),
  ];
}

/** Makes the number in the configuration's last line invalid, and then valid again. */
async function typingRows({ page, workbench }: Stage): Promise<readonly Row[]> {
  await workbench.open("tinker-config.yaml");
  await page.keyboard.press("Control+End");
  await page.keyboard.press("ArrowLeft");
  const [typed, marked, unmarked]: [number[], number[], number[]] = [[], [], []];
  await page.waitForTimeout(2_000);
  const faults = page.locator(".squiggly-error");
  const fault = faults.nth(await faults.count());
  for (let attempt = 0; attempt < 2 * TRIES; attempt += 1) {
    const startedAt = performance.now();
    await page.keyboard.type("x");
    await page.locator(".view-line", { hasText: "10x" }).first().waitFor();
    typed.push(performance.now() - startedAt);
    await fault.waitFor();
    marked.push(performance.now() - startedAt);
    const goneAt = performance.now();
    await page.keyboard.press("Backspace");
    await fault.waitFor({ state: "detached" });
    unmarked.push(performance.now() - goneAt);
    await page.waitForTimeout(200);
  }
  return [
    row("a letter is typed into a configuration: seen", typed),
    row("  the fault that it makes is underlined", marked),
    row("  it is removed: the line is gone", unmarked),
  ];
}

/** How long the extension blocked its host meanwhile. */
function stretchRows(stretches: readonly number[]): readonly Row[] {
  const longest = [...stretches].sort((a, b) => b - a);
  const long = longest.filter((ms) => ms > LONG_MS).length;
  return [
    row("our code in the host without a pause", [longest[0] ?? 0], LONG_MS),
    row(`  stretches of more than ${LONG_MS} ms`, [long], 0, `of ${longest.length}`),
  ];
}

async function heap({ server }: Stage): Promise<number> {
  return await hostHeapMb(await until("the extension host", () => server.hostPid()));
}

/** Opens the dashboard by clicking the run, and waits for its page. */
async function openRun({ page, workbench }: Stage, name: string): Promise<Frame> {
  await workbench.row(new RegExp(`^run ${name}, `)).click();
  await workbench.panel().getByRole("tab", { name: "Overview" }).waitFor();
  const frame = await workbench.panelFrame();
  await frame.waitForFunction(() => globalThis.benchMarks.chart !== undefined);
  // Numbers keep arriving for a while, a part every 250 ms.
  await page.waitForTimeout(1_500);
  return frame;
}

async function close({ page }: Stage): Promise<void> {
  await page.keyboard.press(CLOSE);
  await page.locator("iframe.webview").first().waitFor({ state: "detached" });
}

function thousands(value: number): string {
  return value.toLocaleString("en");
}
