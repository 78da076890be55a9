/** Pictures of every view in every theme, and what axe-core finds: `node scripts/run.mjs test/dashboard/shots.ts RUN_FOLDER OUT_FOLDER [theme] [width]`. */

import { mkdir } from "node:fs/promises";
import { loadModelTokenizer } from "../../src/node/tokenizer/modelTokenizer.ts";
import { accessibilityFaults } from "../workbench/accessibility.ts";
import { launchBrowser } from "../workbench/browser.ts";
import { openDashboardPage } from "./dashboardPage.ts";
import { THEMES } from "./themes.ts";
import { showViews } from "./views.ts";

const [folder = "", out = "", only = "", width = "1200"] = process.argv.slice(2);
await mkdir(out, { recursive: true });
const { tokenizer } = await loadModelTokenizer("src/local/engine/model");
const tokenTexts = async (_: string, ids: Int32Array) =>
  Array.from(ids, (id) => tokenizer.decode([id]));
const browser = await launchBrowser();
try {
  for (const theme of THEMES.filter(({ name }) => only === "" || only === name)) {
    const dashboard = await openDashboardPage(browser, {
      folder,
      theme,
      width: Number(width),
      tokenTexts,
    });
    await showViews(dashboard.page, async (name) => {
      await dashboard.page.screenshot({ path: `${out}/${name}-${theme.name}.png` });
      for (const fault of await accessibilityFaults(dashboard.page.mainFrame()))
        console.log(theme.name, name, fault);
    });
    for (const fault of dashboard.faults) console.log(theme.name, "console:", fault);
    await dashboard.close();
  }
} finally {
  await browser.close();
}
