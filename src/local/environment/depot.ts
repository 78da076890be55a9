/** `local/depot`: find two ordered items, pick them from their shelves, and ship; every correct step earns part of the reward. */

import * as z from "zod";
import { integerBetween } from "../random.ts";
import { defineEnvironment } from "./environment.ts";
import { taskDraw } from "./taskDraw.ts";

type DepotTask = {
  readonly order: readonly string[];
  /** Item on each shelf, shelf A first. */
  readonly shelves: readonly string[];
};
type DepotState = { readonly task: DepotTask; readonly missing: Set<string> };

export const DEPOT_ITEMS = [
  "bolt",
  "cable",
  "drill",
  "fuse",
  "glue",
  "hook",
  "lamp",
  "nail",
] as const;
const SHELF_NAMES = "ABCDEFGH";
const PICK_REWARD = 0.4;
const SHIP_REWARD = 0.2;

function shuffled(uniform: () => number): string[] {
  const items: string[] = [...DEPOT_ITEMS];
  for (let i = items.length - 1; i > 0; i--) {
    const j = integerBetween(uniform, 0, i);
    [items[i], items[j]] = [items[j] ?? "", items[i] ?? ""];
  }
  return items;
}

function fingerprint(task: DepotTask): number {
  return task.shelves.reduce(
    (sum, item, shelf) => sum + (shelf + 1) * (task.order.indexOf(item) + 2),
    0,
  );
}

export const depot = defineEnvironment<DepotTask, DepotState>({
  name: "depot",
  description:
    "Find two ordered items, pick each from its shelf, then ship the order. Every correct step is rewarded.",
  splits: { train: 4096, test: 512 },
  task: taskDraw(
    4,
    (uniform) => ({ order: shuffled(uniform).slice(0, 2), shelves: shuffled(uniform) }),
    fingerprint,
  ),
  start: (task) => ({ task, missing: new Set(task.order) }),
  prompt: (task) => `Order: ${task.order.join(" and ")}. Find and pick each item, then ship.`,
  tools: {
    find: {
      description: "Ask where an item lies.",
      input: z.object({ item: z.string() }),
      run(state, args) {
        const shelf = state.task.shelves.indexOf(String(args["item"]));
        return { text: shelf < 0 ? "no such item" : `shelf ${SHELF_NAMES[shelf]}` };
      },
    },
    pick: {
      description: "Take an ordered item from a shelf.",
      input: z.object({ shelf: z.string() }),
      run(state, args) {
        const item = state.task.shelves[[...SHELF_NAMES].indexOf(String(args["shelf"]))];
        if (item === undefined) return { text: "no such shelf" };
        if (!state.missing.delete(item)) return { text: "not ordered", reward: 0 };
        return { text: `picked ${item}`, reward: PICK_REWARD };
      },
    },
    ship: {
      description: "Send the order off. Ends the episode.",
      input: null,
      run(state) {
        const complete = state.missing.size === 0;
        return {
          text: complete ? "shipped" : "incomplete",
          reward: complete ? SHIP_REWARD : 0,
          finished: true,
        };
      },
    },
  },
});
