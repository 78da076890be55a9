/**
 * Tests the extension in a real VS Code: a suite inside the extension host, then journeys through the window with the packaged
 * extension. `--only NAME` picks journeys, `--journeys` and `--in-host` pick one half, `--oldest` uses the oldest supported VS Code,
 * and `--themes` takes every picture in four themes.
 */

import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../workbench/browser.ts";
import type { Edition } from "../workbench/install.ts";
import { packagedExtension } from "../workbench/packagedExtension.ts";
import { copyExample, deleteFolder, newFolder } from "./folders.ts";
import { writeHostileFolders } from "./hostileFolders.ts";
import { type Journey, runJourney } from "./journey.ts";
import { accessibility } from "./journeys/accessibility.ts";
import { alarms } from "./journeys/alarms.ts";
import { chat } from "./journeys/chat.ts";
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
  trajectory,
  reading,
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

/** Parts that run at once: they mostly wait. */
const AT_ONCE = 2;

/** The suite in the extension host, or one journey. */
interface Part {
  readonly name: string;
  readonly passes: () => Promise<boolean>;
}

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

const suiteInHost: Part = {
  name: "the suite in the extension host",
  passes: async () => {
    const workspace = newFolder();
    copyExample(workspace);
    try {
      // Its readers do not depend on the version of VS Code.
      const env =
        edition === "oldest" ? {} : { TEST_HOSTILE_FOLDERS: writeHostileFolders(workspace) };
      return await runInServer(edition, workspace, env);
    } finally {
      deleteFolder(workspace);
    }
  },
};

/** The journeys that `--only` names, or all except the manual ones. */
function chosenJourneys(browser: Browser): readonly Part[] {
  const vsix = packagedExtension();
  const settings = { browser, vsix, edition, allThemes: values.themes === true };
  const chosen = JOURNEYS.filter(
    ({ name, isByHand = false }) => values.only?.includes(name) ?? !isByHand,
  );
  if (chosen.length === 0) {
    throw new Error(`Journeys: ${JOURNEYS.map(({ name }) => name).join(", ")}.`);
  }
  return chosen.map((journey) => ({
    name: journey.name,
    passes: () => runJourney(journey, settings),
  }));
}

/** The parts that fail, with `atOnce` of them at a time. */
async function failing(parts: readonly Part[], atOnce: number): Promise<readonly Part[]> {
  const failed: Part[] = [];
  const waiting = parts.values();
  const runNext = async (): Promise<void> => {
    for (const part of waiting) if (!(await part.passes())) failed.push(part);
  };
  await Promise.all(Array.from({ length: atOnce }, () => runNext()));
  return failed;
}

const wantsBoth = values.journeys !== true && values["in-host"] !== true;
const wantsHost = values["in-host"] === true || (wantsBoth && values.only === undefined);
const browser = await launchBrowser();
try {
  const parts = [
    ...(wantsHost ? [suiteInHost] : []),
    ...(values.journeys === true || wantsBoth ? chosenJourneys(browser) : []),
  ];
  const besideOthers = await failing(parts, AT_ONCE);
  // Two windows on two processors may miss a hover or a focus; a real failure also fails alone.
  for (const { name } of besideOthers) console.log(`${name}: retrying alone`);
  const failed = await failing(besideOthers, 1);
  console.log(`${parts.length - failed.length} of ${parts.length} parts passed`);
  if (failed.length > 0) console.log(`Failed: ${failed.map(({ name }) => name).join(", ")}`);
  // What a failed attempt left behind must not keep this program alive.
  process.exit(failed.length === 0 ? 0 : 1);
} finally {
  await browser.close();
}
