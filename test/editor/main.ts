/**
 * Tests the extension in a real VS Code: a suite inside the extension host, then journeys through the window with the packaged
 * extension. `--only NAME` picks journeys, `--journeys` and `--in-host` a half, `--oldest` the oldest supported VS Code, and
 * `--themes` takes every picture in four themes.
 */

import { parseArgs } from "node:util";
import { launchBrowser } from "../workbench/browser.ts";
import type { Edition } from "../workbench/install.ts";
import { packagedExtension } from "../workbench/packagedExtension.ts";
import { copyExample, deleteFolder, newFolder } from "./folders.ts";
import { writeHostileFolders } from "./hostileFolders.ts";
import { type Journey, runJourney } from "./journey.ts";
import { accessibility } from "./journeys/accessibility.ts";
import { alarms } from "./journeys/alarms.ts";
import { chat } from "./journeys/chat.ts";
import { chatFormats } from "./journeys/chatFormats.ts";
import { checkpoints } from "./journeys/checkpoints.ts";
import { clicks } from "./journeys/clicks.ts";
import { compare } from "./journeys/compare.ts";
import { dataset } from "./journeys/dataset.ts";
import { demonstrations } from "./journeys/demonstrations.ts";
import { editing } from "./journeys/editing.ts";
import { elsewhere } from "./journeys/elsewhere.ts";
import { evaluations } from "./journeys/evaluations.ts";
import { firstLook } from "./journeys/firstLook.ts";
import { fiveMinutes } from "./journeys/fiveMinutes.ts";
import { fiveQuestions } from "./journeys/fiveQuestions.ts";
import { hostileRepository } from "./journeys/hostileRepository.ts";
import { hostileText } from "./journeys/hostileText.ts";
import { keyboard } from "./journeys/keyboard.ts";
import { killedServer } from "./journeys/killedServer.ts";
import { localDemo } from "./journeys/localDemo.ts";
import { models } from "./journeys/models.ts";
import { newEnvironment } from "./journeys/newEnvironment.ts";
import { ownServer } from "./journeys/ownServer.ts";
import { plantedRuns } from "./journeys/plantedRuns.ts";
import { playEnvironment } from "./journeys/playEnvironment.ts";
import { promptPreview } from "./journeys/promptPreview.ts";
import { reading } from "./journeys/reading.ts";
import { reload } from "./journeys/reload.ts";
import { restrictedMode } from "./journeys/restrictedMode.ts";
import { search } from "./journeys/search.ts";
import { secrets } from "./journeys/secrets.ts";
import { severalEnvironments } from "./journeys/severalEnvironments.ts";
import { stages } from "./journeys/stages.ts";
import { sweep } from "./journeys/sweep.ts";
import { taskEndings } from "./journeys/taskEndings.ts";
import { training } from "./journeys/training.ts";
import { trajectory } from "./journeys/trajectory.ts";
import { weights } from "./journeys/weights.ts";
import { runInServer } from "./runInServer.ts";

const JOURNEYS: readonly Journey[] = [
  firstLook,
  restrictedMode,
  localDemo,
  training,
  sweep,
  taskEndings,
  trajectory,
  reading,
  chatFormats,
  chat,
  clicks,
  severalEnvironments,
  reload,
  hostileRepository,
  plantedRuns,
  hostileText,
  secrets,
  keyboard,
  accessibility,
  dataset,
  demonstrations,
  stages,
  editing,
  elsewhere,
  models,
  promptPreview,
  newEnvironment,
  ownServer,
  playEnvironment,
  checkpoints,
  weights,
  evaluations,
  alarms,
  compare,
  fiveQuestions,
  search,
  fiveMinutes,
  killedServer,
];

/** Journeys that run at once: most of their time they wait. */
const AT_ONCE = 2;

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    journeys: { type: "boolean" },
    "in-host": { type: "boolean" },
    oldest: { type: "boolean" },
    themes: { type: "boolean" },
  },
});
const edition: Edition = values.oldest === true ? "oldest" : "newest";

async function inHostPasses(): Promise<boolean> {
  const workspace = newFolder();
  copyExample(workspace);
  try {
    // What reads them does not depend on the version of VS Code.
    const env =
      edition === "oldest" ? {} : { TEST_HOSTILE_FOLDERS: writeHostileFolders(workspace) };
    return await runInServer(edition, workspace, env);
  } finally {
    deleteFolder(workspace);
  }
}

/** The names of the journeys that failed. */
async function failedJourneys(): Promise<readonly string[]> {
  const chosen = JOURNEYS.filter(
    ({ name, isByHand = false }) => values.only?.includes(name) ?? !isByHand,
  );
  if (chosen.length === 0) {
    throw new Error(`Journeys: ${JOURNEYS.map(({ name }) => name).join(", ")}.`);
  }
  const vsix = packagedExtension();
  const browser = await launchBrowser();
  const settings = { browser, vsix, edition, allThemes: values.themes === true };
  const failing = async (journeys: readonly Journey[], atOnce: number): Promise<Journey[]> => {
    const failed: Journey[] = [];
    const waiting = journeys.values();
    const runNext = async (): Promise<void> => {
      for (const journey of waiting)
        if (!(await runJourney(journey, settings))) failed.push(journey);
    };
    await Promise.all(Array.from({ length: atOnce }, () => runNext()));
    return failed;
  };
  try {
    const besideOthers = await failing(chosen, AT_ONCE);
    // Two windows on two processors may miss a hover or a focus: what is broken fails alone, too.
    for (const { name } of besideOthers) console.log(`${name}: once more, with nothing beside it`);
    const failed = await failing(besideOthers, 1);
    console.log(`${chosen.length - failed.length} of ${chosen.length} journeys passed`);
    return failed.map(({ name }) => name);
  } finally {
    await browser.close();
  }
}

const wantsBoth = values.journeys !== true && values["in-host"] !== true;
if (values["in-host"] === true || (wantsBoth && values.only === undefined)) {
  // As for the journeys: what is broken fails twice, a focus that a busy machine gave too late does not.
  const passes = (await inHostPasses()) || (await inHostPasses());
  if (!passes) process.exitCode = 1;
}
if (values.journeys === true || wantsBoth) {
  const failed = await failedJourneys();
  if (failed.length > 0) {
    console.log(`Failed: ${failed.join(", ")}`);
    process.exitCode = 1;
  }
}
