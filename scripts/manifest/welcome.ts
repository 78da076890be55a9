/** Texts of empty views: what will appear there, and how to get it. */

import type { ViewId } from "../../src/host/manifest/commandRow.ts";

interface Welcome {
  readonly view: ViewId;
  readonly when?: string;
  /** A line that consists of a link is shown as a button. */
  readonly lines: readonly string[];
}

const TRUSTED = "isWorkspaceTrusted";
const HAS_FOLDER = `${TRUSTED} && workspaceFolderCount > 0`;
/** Before the search, nothing is known to be missing, and a focused welcome text would lose the focus once rows appear. */
const IS_SEARCHED = "tinkerRL.searched";
const SEARCHED = `${HAS_FOLDER} && ${IS_SEARCHED}`;

const DEMO = "No keys at hand? [Try the local demo](command:tinkerRL.startLocalDemo).";
const CREATE = "Have keys? [Create a configuration](command:tinkerRL.newConfig).";
const IMPORT = "Runs from elsewhere? [Open a run folder](command:tinkerRL.importRun).";
const START = "[Start Training](command:tinkerRL.startTraining)";
const START_DEMO = "[Start Local Demo](command:tinkerRL.startLocalDemo)";
const TOUR = "New here? [Take the tour](command:tinkerRL.openWalkthrough).";

const WELCOMES: readonly Welcome[] = [
  {
    view: "runs",
    when: `!${TRUSTED}`,
    lines: [
      "Training is off in Restricted Mode. You can still edit and check configurations, and look at runs.",
      "[Manage Workspace Trust](command:workbench.trust.manage)",
    ],
  },
  {
    view: "runs",
    when: `${TRUSTED} && workspaceFolderCount == 0`,
    lines: [
      "Your runs will appear here. Open a folder to keep them in.",
      "[Open Folder](command:vscode.openFolder)",
      DEMO,
      TOUR,
    ],
  },
  {
    view: "runs",
    when: `${HAS_FOLDER} && !${IS_SEARCHED}`,
    lines: ["Looking for configurations and runs…"],
  },
  {
    view: "runs",
    when: `${SEARCHED} && !tinkerRL.hasConfig && !tinkerRL.hasRuns`,
    lines: [
      "Your runs will appear here. This folder has no configuration yet.",
      START_DEMO,
      "The demo trains a small model on this computer. It needs no keys.",
      CREATE,
      IMPORT,
      TOUR,
    ],
  },
  {
    view: "runs",
    when: `${SEARCHED} && tinkerRL.hasConfig && !tinkerRL.hasRuns`,
    lines: [
      "Your runs will appear here.",
      START,
      "Not sure? [Check the configuration](command:tinkerRL.validateConfig) first.",
      TOUR,
    ],
  },
  {
    view: "trajectories",
    when: `${IS_SEARCHED} && !tinkerRL.hasRuns`,
    lines: ["What the model does in each step of a run will appear here, rollout by rollout."],
  },
  {
    view: "checkpoints",
    when: IS_SEARCHED,
    lines: ["Saved weights of your runs will appear here, and below each run in Runs."],
  },
  {
    view: "checkpoints",
    when: `${IS_SEARCHED} && tinkerRL.running`,
    lines: ["[Save Checkpoint Now](command:tinkerRL.saveCheckpointNow)"],
  },
];

export function welcomeEntries(): readonly Readonly<Record<string, string | undefined>>[] {
  return WELCOMES.map(({ view, when }, index) => ({
    view: `tinkerRL.${view}`,
    contents: `%${welcomeKey(view, index)}%`,
    when,
  }));
}

/** Welcome texts for `package.nls.json`. */
export function welcomeStrings(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    WELCOMES.map(({ view, lines }, index) => [welcomeKey(view, index), lines.join("\n")]),
  );
}

function welcomeKey(view: ViewId, index: number): string {
  return `welcome.${view}.${index + 1}`;
}
