/**
 * Pictures of every view of the dashboard and of the runs table in every theme, and axe-core findings: `node scripts/run.mjs
 * test/dashboard/shots.ts OUT_FOLDER [theme] [width] [RUN_FOLDER]`. Without a run folder the dashboard shows the hard run.
 */

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { loadModelTokenizer } from "../../src/node/tokenizer/modelTokenizer.ts";
import { writeComparedRuns } from "../fakes/comparedRuns.ts";
import { writeHardRun } from "../server/dashboard/writtenRun.ts";
import { accessibilityFaults } from "../workbench/accessibility.ts";
import { launchBrowser } from "../workbench/browser.ts";
import { openDashboardPage } from "./dashboardPage.ts";
import { openRunsPage } from "./runsPage.ts";
import { showRunsViews } from "./runsViews.ts";
import type { ServedPage } from "./servedPage.ts";
import { THEMES } from "./themes.ts";
import { showViews } from "./views.ts";

const [out = "", only = "", width = "1200", given] = process.argv.slice(2);
await mkdir(out, { recursive: true });
const written = await mkdtemp(join(tmpdir(), "tinker-rl-shots-"));
const parent = join(written, "runs");
writeComparedRuns(parent, { count: 40, steps: 60, tasks: 40 });
const folder = given ?? (await writeHardRun(createFileSystem(), written, { rollouts: 48 })).folder;
const { tokenizer } = await loadModelTokenizer("src/local/engine/model");
const tokenTexts = async (_: string, ids: Int32Array) =>
  Array.from(ids, (id) => tokenizer.decode([id]));
const browser = await launchBrowser();
try {
  for (const theme of THEMES.filter(({ name }) => only === "" || only === name)) {
    const look = { theme, width: Number(width) };
    const dashboard = await openDashboardPage(browser, { folder, tokenTexts, ...look });
    await shoot(dashboard, theme.name, showViews);
    await shoot(await openRunsPage(browser, { parent, ...look }), theme.name, showRunsViews);
  }
} finally {
  await browser.close();
  await rm(written, { recursive: true });
}
process.exit(0);

async function shoot(
  { page, faults, close }: Pick<ServedPage, "page" | "faults" | "close">,
  theme: string,
  show: typeof showViews,
): Promise<void> {
  await show(page, async (name) => {
    await page.screenshot({ path: join(out, `${name}-${theme}.png`) });
    for (const fault of await accessibilityFaults(page.mainFrame()))
      console.log(theme, name, fault);
  });
  for (const fault of faults) console.log(theme, "console:", fault);
  await close();
}
