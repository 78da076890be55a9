/** Commands about saved weights. */

import { type CommandFamily, inView, onRow } from "./commandRow.ts";

const CHECKPOINT = onRow("checkpoints", "checkpoint");

export const checkpointCommands = {
  startFromCheckpoint: {
    title: "Start New Run from Checkpoint…",
    does: "Trains on from saved weights, with or without the optimizer's state.",
    icon: "debug-start",
    needsTrust: true,
    menus: [{ menu: "view/item/context", when: CHECKPOINT, group: "1_use@1" }],
  },
  copyCheckpointPath: {
    title: "Copy Checkpoint Path",
    does: "Copies the address of a checkpoint.",
    icon: "copy",
    menus: [
      { menu: "view/item/context", when: CHECKPOINT, group: "inline@1" },
      { menu: "view/item/context", when: CHECKPOINT, group: "2_copy@1" },
    ],
  },
  insertCheckpointPath: {
    title: "Use in Active Config",
    does: "Writes a checkpoint's address into the open configuration.",
    icon: "insert",
    menus: [{ menu: "view/item/context", when: CHECKPOINT, group: "1_use@2" }],
  },
  deleteCheckpoint: {
    title: "Delete Checkpoint…",
    does: "Deletes saved weights for good, after you confirm.",
    icon: "trash",
    needsTrust: true,
    menus: [{ menu: "view/item/context", when: CHECKPOINT, group: "4_delete@1" }],
  },
  refreshCheckpoints: {
    title: "Refresh Checkpoints",
    does: "Asks for the list of checkpoints again.",
    icon: "refresh",
    menus: [{ menu: "view/title", when: inView("checkpoints"), group: "navigation@1" }],
  },
} as const satisfies CommandFamily;
