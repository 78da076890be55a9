/** Commands for a run's recorded rollouts. */

import { type CommandFamily, onRow, rowMenus, titleMenu, WITH_RUNS } from "./commandRow.ts";

const ROLLOUT = onRow("trajectories", "rollout");

export const trajectoryCommands = {
  openRollout: {
    title: "Open Rollout",
    does: "Replays one rollout turn by turn.",
    palette: WITH_RUNS,
    icon: "comment-discussion",
    menus: rowMenus(ROLLOUT, "1_open@1"),
  },
  openSelectedRollout: {
    title: "Open Selected Rollout",
    does: "Replays the rollout that is selected in the Trajectories view.",
    palette: false,
  },
  openRolloutJson: {
    title: "Open Rollout as JSON",
    does: "Shows the record of one rollout.",
    palette: WITH_RUNS,
    icon: "json",
    menus: rowMenus(ROLLOUT, "1_open@2"),
  },
  continueFromHere: {
    title: "Continue from Here",
    does: "Lets a model continue from a turn of a rollout, after the tokens that were read there.",
    needsTrust: true,
    palette: false,
  },
  filterTrajectories: {
    title: "Filter Trajectories…",
    does: "Shows only rollouts with the reward or stop reason that you choose, with failed calls, or not trained on.",
    palette: WITH_RUNS,
    icon: "filter",
    menus: [titleMenu("trajectories", "navigation@1")],
  },
  clearFilter: {
    title: "Clear Trajectory Filter",
    does: "Shows all rollouts again.",
    icon: "clear-all",
    palette: "tinkerRL.trajectoryFilter",
    menus: [titleMenu("trajectories", "navigation@2", "tinkerRL.trajectoryFilter")],
  },
  sortTrajectories: {
    title: "Sort Trajectories By…",
    does: "Orders rollouts by number, reward, advantage, tokens or turns.",
    palette: WITH_RUNS,
    icon: "list-ordered",
    menus: [titleMenu("trajectories", "1_order@1")],
  },
  followLatest: {
    title: "Follow Latest Step",
    does: "Keeps the newest step of a run visible.",
    icon: "pin",
    palette: `${WITH_RUNS} && !tinkerRL.followLatest`,
    menus: [titleMenu("trajectories", "navigation@3", "!tinkerRL.followLatest")],
  },
  showMoreSteps: {
    title: "Show More Steps",
    does: "Adds older steps to the Trajectories view.",
    palette: false,
  },
  stopFollowing: {
    title: "Stop Following Latest Step",
    does: "Stops scrolling to the newest step.",
    icon: "pinned",
    palette: `${WITH_RUNS} && tinkerRL.followLatest`,
    menus: [titleMenu("trajectories", "navigation@3", "tinkerRL.followLatest")],
  },
} as const satisfies CommandFamily;
