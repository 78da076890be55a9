/** `npm run pictures`: takes the README's pictures of real trainings in a real VS Code. */

import { deepEqual } from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { TEMPLATES } from "../../src/core/config/editing/completion/templates.ts";
import { TABS } from "../../webview-ui/model/viewState.ts";
import { launchBrowser } from "../workbench/browser.ts";
import { packagedExtension } from "../workbench/packagedExtension.ts";
import { writeFiles } from "./folders.ts";
import { type Journey, runJourney, type Stage, until } from "./journey.ts";
import { toPalettePng } from "./palettePng.ts";
import { rewardsOf } from "./runFiles.ts";
import { storedRollouts } from "./storedRollouts.ts";
import { trainInTerminal } from "./trainInTerminal.ts";

const FOLDER = "media/pictures";
const SHOWN_STEP = 26;
/** Wide enough for a side bar without cut-off rows and a dashboard whose buttons fit in one row. */
const WINDOW = { width: 1480, height: 920 };
const DEPOT_STEPS = 20;
/** Counted from 0. */
const LOOKED_INTO = 4;
const SIDE_BAR_PX = 475;
const LIMIT_MS = 600_000;

/** Trained before the window opens, for a trajectory with several tools and rewards. */
const DEPOT = `model_name: local/tiny-tool
run_name: depot
environments:
  local/depot:
    splits:
      train: {}
    num_rollouts: 8
batch_size: 16
max_steps: ${DEPOT_STEPS}
`;

const DRAFT = `model_name: Qwen/Qwen3-8B
lora_rank: 32
lerning_rate: 4e-5

environments:
  GeneralReasoning/WhoDunIt:
    splits:
      train: {}
    num_rollouts: 16
    temperature: 0

batch_size: 32
max_steps: 200
save_every: 20

`;

const pictures: Journey = {
  name: "pictures",
  async prepare(folder) {
    const demo = TEMPLATES.find(({ kind }) => kind === "local")?.text ?? "";
    const named = demo.replace("lora_rank:", "run_name: calculator\nlora_rank:");
    writeFiles(folder, { "depot.yaml": DEPOT, "tinker-config.yaml": named });
    await trainInTerminal(folder, "depot.yaml");
  },
  async run(stage) {
    const { step } = stage;
    mkdirSync(FOLDER, { recursive: true });
    await step("dashboard", () => dashboard(stage));
    await step("trajectory", () => trajectory(stage));
    await step("editing", () => editing(stage));
  },
};

async function dashboard({ page, workbench, folder }: Stage): Promise<string> {
  await page.setViewportSize(WINDOW);
  await workbench.show("Tinker RL");
  await workbench.unfold("Trajectories");
  await widenSideBar(page);
  await workbench.command("Tinker RL: Start Training");
  await workbench.row(/^run calculator, running/).waitFor({ timeout: 60_000 });
  await workbench.panel().getByRole("tab", { name: "Overview" }).waitFor();
  const run = join(folder, ".tinker-rl", "runs", "calculator");
  await until("some steps", () => rewardsOf(run).length >= SHOWN_STEP - 6, LIMIT_MS);
  await workbench.row(new RegExp(`^Step ${SHOWN_STEP - 8}, mean`)).click();
  await page.keyboard.press("ArrowRight");
  await until("the step", () => rewardsOf(run).length >= SHOWN_STEP, LIMIT_MS);
  await requireTabs(workbench, page);
  return await save(page, "dashboard");
}

async function trajectory({ page, workbench, folder }: Stage): Promise<string> {
  await workbench.row(/^run calculator, done/).waitFor({ timeout: LIMIT_MS });
  await workbench.command("Notifications: Clear All Notifications");
  await workbench.theme("light");
  const { step, group, rollout } = await bestRollout(join(folder, ".tinker-rl", "runs", "depot"));
  await workbench.row(/^run depot, done/).click();
  const panel = workbench.panel();
  await panel.getByText(`step ${DEPOT_STEPS} of ${DEPOT_STEPS}`).waitFor();
  await workbench.command("View: Toggle Primary Side Bar Visibility");
  await panel.getByRole("tab", { name: "Rollouts" }).click();
  await panel.locator(".step-navigator select").selectOption(`training/${step}`);
  await panel.getByRole("gridcell", { name: `${group + 1}.${rollout + 1}`, exact: true }).click();
  await panel.locator(".reward-footer").waitFor();
  await requireTabs(workbench, page);
  return await save(page, "trajectory");
}

async function editing({ page, workbench, folder }: Stage): Promise<string> {
  writeFiles(folder, { "whodunit.tinker.yaml": DRAFT });
  await workbench.theme("dark");
  await workbench.command("View: Close All Editors");
  await workbench.open("whodunit.tinker.yaml");
  await page.keyboard.press("Control+Shift+M");
  await workbench.problems().getByText("lerning_rate").first().waitFor();
  await page.locator(".view-line", { hasText: "temperature" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+Space");
  await workbench.suggestion("max_turns").waitFor();
  await page.keyboard.press("Control+Space");
  await page.locator(".suggest-details").waitFor();
  return await save(page, "editing");
}

/** Expects all tabs of the page in view. @throws if one is missing, cut off or unknown */
async function requireTabs(workbench: Stage["workbench"], page: Page): Promise<void> {
  const size = page.viewportSize() ?? WINDOW;
  const shown: string[] = [];
  for (const tab of await workbench.panel().getByRole("tab").all()) {
    const box = await tab.boundingBox();
    const isWhole = box !== null && box.x >= 0 && box.x + box.width <= size.width;
    if (isWhole) shown.push((await tab.getAttribute("id"))?.replace("tab-", "") ?? "");
  }
  deepEqual(shown, TABS, "The picture's tabs are not those of the page.");
}

/** So that no row is cut off. */
async function widenSideBar(page: Page): Promise<void> {
  const box = await page.locator(".part.sidebar").boundingBox();
  if (box === null) throw new Error("There is no side bar.");
  await page.mouse.move(box.x + box.width, 450);
  await page.mouse.down();
  await page.mouse.move(SIDE_BAR_PX, 450, { steps: 5 });
  await page.mouse.up();
}

/** The rollout of an early step with the most turns among those with the highest reward. */
async function bestRollout(folder: string) {
  const rollouts = await storedRollouts(folder, LOOKED_INTO);
  // The first groups are in view.
  const ranked = rollouts
    .slice(0, 16)
    .toSorted(
      (a, b) => (b.reward ?? 0) - (a.reward ?? 0) || b.turns - a.turns || a.group - b.group,
    );
  const [best] = ranked;
  if (best === undefined) throw new Error("The run has no rollouts.");
  return best;
}

async function save(page: Page, name: string): Promise<string> {
  // Moves the pointer away from anything with a hover.
  await page.mouse.move(700, 12);
  await page.waitForTimeout(1_500);
  const png = toPalettePng(await page.screenshot());
  writeFileSync(`${FOLDER}/${name}.png`, png);
  return `${(png.length / 1000).toFixed(0)} kB`;
}

const browser = await launchBrowser();
try {
  const settings = {
    browser,
    vsix: packagedExtension(),
    edition: "newest",
    allThemes: false,
  } as const;
  if (!(await runJourney(pictures, settings))) process.exitCode = 1;
} finally {
  await browser.close();
}
