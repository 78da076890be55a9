/**
 * Measures the editor against its budgets: the packaged extension in a real VS Code, the page alone where that is more precise, and
 * the host's work for a run in a separate process. Runs are large and generated from a seed. Run: `npm run bench:editor`; arguments
 * select parts, as in `npm run bench:editor -- host page`. A missed budget does not fail the run.
 */

import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { createFileSystem } from "../src/node/fileSystem.ts";
import { deleteFolder, newFolder } from "../test/editor/folders.ts";
import { launchBrowser } from "../test/workbench/browser.ts";
import { compareRows } from "./editorCompare.ts";
import { pageRows } from "./editorPage.ts";
import { type BenchRuns, writeBenchRuns } from "./editorRuns.ts";
import { sizeRows } from "./editorSizes.ts";
import { printRows } from "./editorTable.ts";
import { workbenchRows } from "./editorWorkbench.ts";

const PARTS: Readonly<Record<string, (runs: BenchRuns) => Promise<void>>> = {
  sizes: async () => printRows("Sizes", sizeRows()),
  host: async ({ steps, longSteps, wide }) => {
    const program = [resolve("scripts/run.mjs"), resolve("bench/editorHost.ts")];
    const args = ["--expose-gc", ...program, steps, longSteps, wide];
    execFileSync(process.execPath, args, { stdio: "inherit" });
  },
  page: async (runs) => {
    const browser = await launchBrowser();
    try {
      printRows("Page alone, processor time", await pageRows(browser, runs));
    } finally {
      await browser.close();
    }
  },
  compare: async () => {
    const browser = await launchBrowser();
    try {
      printRows("Runs table and comparison, page and session", await compareRows(browser));
    } finally {
      await browser.close();
    }
  },
  workbench: async (runs) => printRows("In VS Code", await workbenchRows(runs)),
};

const chosen = process.argv.slice(2);
for (const name of chosen) {
  if (PARTS[name] === undefined) throw new Error(`Parts: ${Object.keys(PARTS).join(", ")}.`);
}
const workspace = newFolder();
try {
  const fileSystem = createFileSystem();
  const runs = await writeBenchRuns(fileSystem, workspace);
  await fileSystem.close();
  for (const [name, measure] of Object.entries(PARTS)) {
    if (chosen.length === 0 || chosen.includes(name)) await measure(runs);
  }
} finally {
  deleteFolder(workspace);
}
process.exit(0);
