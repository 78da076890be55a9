/** What views say while they are empty. A line whose command does not exist yet is left out. */

import type { ViewId } from "../../src/host/manifest/commandRow.ts";
import { withoutPlanned } from "./links.ts";

interface Welcome {
  readonly view: ViewId;
  readonly when?: string;
  /** A line that holds nothing but a link is drawn as a button. */
  readonly lines: readonly string[];
}

const TRUSTED = "isWorkspaceTrusted";
const HAS_FOLDER = `${TRUSTED} && workspaceFolderCount > 0`;
/** Before, nothing is known to be missing, and the focus that such a text gets is lost with it when rows come. */
const IS_SEARCHED = "tinkerRL.searched";
const SEARCHED = `${HAS_FOLDER} && ${IS_SEARCHED}`;

const DEMO = "No keys at hand? [Try the local demo](command:tinkerRL.startLocalDemo).";
const IMPORT = "Runs from elsewhere? [Open a run folder](command:tinkerRL.importRun).";
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
      "Open a folder to keep runs in.",
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
      "This folder has no configuration yet.",
      "[Create Configuration](command:tinkerRL.newConfig)",
      DEMO,
      IMPORT,
      TOUR,
    ],
  },
  {
    view: "runs",
    when: `${SEARCHED} && tinkerRL.hasConfig && !tinkerRL.hasRuns`,
    lines: [
      "No runs yet.",
      "[Start Training](command:tinkerRL.startTraining)",
      "Not sure? [Check the configuration](command:tinkerRL.validateConfig) first.",
      TOUR,
    ],
  },
  {
    view: "trajectories",
    when: `${IS_SEARCHED} && !tinkerRL.hasRuns`,
    lines: ["Select a run in Runs to see its rollouts, step by step."],
  },
  {
    view: "checkpoints",
    when: IS_SEARCHED,
    lines: [
      "The checkpoints of your runs are shown here.",
      "To see those of the Tinker service, [set its key](command:tinkerRL.setApiKey).",
    ],
  },
];

export function welcomeEntries(): readonly Readonly<Record<string, string | undefined>>[] {
  return WELCOMES.map(({ view, when }, index) => ({
    view: `tinkerRL.${view}`,
    contents: `%${welcomeKey(view, index)}%`,
    when,
  }));
}

/** What `package.nls.json` says for the welcome texts. */
export function welcomeStrings(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    WELCOMES.map(({ view, lines }, index) => [
      welcomeKey(view, index),
      withoutPlanned(lines).join("\n"),
    ]),
  );
}

function welcomeKey(view: ViewId, index: number): string {
  return `welcome.${view}.${index + 1}`;
}
