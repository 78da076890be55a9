/** Checkpoint commands. */

import {
  type CommandFamily,
  ON_CONFIG,
  onCheckpoint,
  onRow,
  rowMenus,
  runMenus,
  titleMenu,
  WITH_CHECKPOINTS,
  WITH_RUNS,
} from "./commandRow.ts";

const CHECKPOINT = onCheckpoint();
const HOSTED = onCheckpoint("hosted");
const WITH_HOSTED = "tinkerRL.hasHosted";
/** Requires a run's row, because rows of checkpoints can be `expiring`, too. */
const EXPIRING_RUN = `${onRow("runs", "run")} && viewItem =~ /\\b(expiring)\\b/`;

export const checkpointCommands = {
  startFromCheckpoint: {
    title: "Start New Run from Checkpoint…",
    does: "Trains the run's configuration from saved weights, with or without the optimizer's state.",
    palette: WITH_CHECKPOINTS,
    icon: "debug-start",
    needsTrust: true,
    menus: rowMenus(CHECKPOINT, "1_use@1"),
  },
  chatWithCheckpoint: {
    title: "Chat with Checkpoint…",
    does: "Opens a chat with saved weights in the chat format of their run, freely or with a task of an environment.",
    palette: WITH_CHECKPOINTS,
    icon: "comment-discussion",
    needsTrust: true,
    menus: [...rowMenus(CHECKPOINT, "1_use@6"), ...runMenus(onRow("runs", "training"), "2_open@4")],
  },
  copyCheckpointPath: {
    title: "Copy Checkpoint Path",
    does: "Copies the address of a checkpoint.",
    palette: WITH_CHECKPOINTS,
    icon: "copy",
    menus: rowMenus(CHECKPOINT, "inline@1", "2_copy@1"),
  },
  openCheckpointPage: {
    title: "Open in Tinker Console",
    does: "Opens the page of a checkpoint at Tinker in the browser.",
    palette: WITH_HOSTED,
    icon: "link-external",
    menus: rowMenus(HOSTED, "2_copy@2"),
  },
  insertCheckpointPath: {
    title: "Insert Checkpoint Path in Active Config",
    does: "Writes a checkpoint's address to `resume_from` in the open configuration.",
    palette: `${WITH_CHECKPOINTS} && ${ON_CONFIG}`,
    icon: "insert",
    menus: rowMenus(CHECKPOINT, "1_use@2"),
  },
  branchFromCheckpoint: {
    title: "New Config from Checkpoint…",
    does: "Creates a configuration with a run's settings that starts from a checkpoint, for you to change and start.",
    palette: WITH_CHECKPOINTS,
    icon: "git-branch",
    needsTrust: true,
    menus: rowMenus(CHECKPOINT, "1_use@3"),
  },
  evaluateCheckpoint: {
    title: "Evaluate Checkpoint…",
    does: "Compares a checkpoint with the base model on tasks of its run's environments.",
    palette: WITH_CHECKPOINTS,
    icon: "beaker",
    needsTrust: true,
    menus: [...rowMenus(CHECKPOINT, "1_use@4"), ...runMenus(onRow("runs", "training"), "2_open@5")],
  },
  downloadCheckpoint: {
    title: "Download Weights…",
    does: "Downloads the weights of a checkpoint to a folder with a model card: for PEFT, for vLLM and SGLang, or merged into the base model.",
    palette: WITH_CHECKPOINTS,
    icon: "cloud-download",
    needsTrust: true,
    menus: rowMenus(CHECKPOINT, "1_use@5"),
  },
  keepCheckpoint: {
    title: "Keep Checkpoint…",
    does: "Sets how long a checkpoint is kept from now on.",
    palette: WITH_CHECKPOINTS,
    icon: "pinned",
    needsTrust: true,
    menus: [...rowMenus(onCheckpoint("expiring"), "inline@2"), ...rowMenus(CHECKPOINT, "3_keep@1")],
  },
  keepLastState: {
    title: "Keep Last State",
    does: "Removes the expiry of the state that a resume would start from.",
    palette: "tinkerRL.hasExpiring",
    icon: "pinned",
    needsTrust: true,
    menus: runMenus(EXPIRING_RUN, "inline@3", "1_steer@5"),
  },
  publishCheckpoint: {
    title: "Publish Checkpoint…",
    does: "Lets everyone who knows its address use a checkpoint at Tinker, after you confirm.",
    palette: WITH_HOSTED,
    icon: "globe",
    needsTrust: true,
    menus: rowMenus(HOSTED, "3_keep@2"),
  },
  unpublishCheckpoint: {
    title: "Unpublish Checkpoint",
    does: "Lets only you use a checkpoint at Tinker again.",
    palette: WITH_HOSTED,
    icon: "eye-closed",
    needsTrust: true,
    menus: rowMenus(HOSTED, "3_keep@3"),
  },
  deleteCheckpoint: {
    title: "Delete Checkpoint…",
    does: "Deletes saved weights permanently, after you confirm.",
    palette: WITH_CHECKPOINTS,
    icon: "trash",
    needsTrust: true,
    menus: rowMenus(CHECKPOINT, "4_delete@1"),
  },
  refreshCheckpoints: {
    title: "Refresh Checkpoints",
    does: "Reloads the list of checkpoints.",
    palette: WITH_RUNS,
    icon: "refresh",
    menus: [titleMenu("checkpoints", "navigation@1")],
  },
} as const satisfies CommandFamily;
