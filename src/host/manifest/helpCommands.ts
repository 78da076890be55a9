/** Commands for keys and help. */

import type { CommandFamily } from "./commandRow.ts";

export const helpCommands = {
  setApiKey: {
    title: "Set API Key…",
    does: "Stores a key in the secret store of the editor.",
    icon: "key",
  },
  setOpenRewardKey: {
    title: "Set OpenReward Key…",
    does: "Stores the OpenReward key in the secret store of the editor.",
    palette: false,
  },
  removeApiKey: {
    title: "Remove API Key…",
    does: "Removes a stored key.",
    icon: "key",
  },
  importEnv: {
    title: "Import Keys from .env…",
    does: "Moves keys from a `.env` file to the secret store.",
    icon: "key",
    needsTrust: true,
  },
  keyStatus: {
    title: "Show Key Status",
    does: "Shows which keys are set and where they come from; never their values.",
    icon: "key",
  },
  openWalkthrough: {
    title: "Open Walkthrough",
    does: "Shows the first steps.",
  },
  openSettings: {
    title: "Open Settings",
    does: "Shows the settings of this extension.",
  },
  showLog: {
    title: "Show Extension Log",
    does: "Shows what the extension did and what went wrong.",
  },
  reportIssue: {
    title: "Report Issue…",
    does: "Collects versions and the end of the log, without secrets, in a new document. Sends nothing.",
  },
} as const satisfies CommandFamily;
