/** Pictures of the runs table in every theme, and what axe-core finds: `node scripts/run.mjs test/dashboard/runsShots.ts OUT_FOLDER [theme] [width] [height]`. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeComparedRuns } from "../fakes/comparedRuns.ts";
import { accessibilityFaults } from "../workbench/accessibility.ts";
import { launchBrowser } from "../workbench/browser.ts";
import { openRunsPage } from "./runsPage.ts";
import { showRunsViews } from "./runsViews.ts";
import { THEMES } from "./themes.ts";

const [out = "", only = "", width = "1200", height = "900"] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "tinker-rl-shots-"));
const parent = join(folder, "runs");
writeComparedRuns(parent, { count: 40, steps: 60, tasks: 40 });
const browser = await launchBrowser();
try {
  for (const theme of THEMES.filter(({ name }) => only === "" || only === name)) {
    const size = { width: Number(width), height: Number(height) };
    const shown = await openRunsPage(browser, { parent, theme, ...size });
    await showRunsViews(shown.page, async (name) => {
      await shown.page.screenshot({ path: `${out}/${name}-${theme.name}.png` });
      for (const fault of await accessibilityFaults(shown.page.mainFrame()))
        console.log(theme.name, name, fault);
    });
    for (const fault of shown.faults) console.log(theme.name, "console:", fault);
    await shown.close();
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
process.exit(0);
