import { expect, it } from "vitest";
import { chatTitle } from "../../../src/host/chat/chatTitle.ts";

const run = { folder: "/runs/demo", name: "demo" };
const saved = "tinker://s:train:0/sampler_weights/checkpoint_000050";
const turn = { source: "training", step: 3, group: 1, rollout: 2, turn: 4 } as const;

it.each([
  ["the newest weights of a run", { targets: ["/runs/demo"], turn: null }, "Chat: demo"],
  ["a checkpoint", { targets: [saved], turn: null }, "Chat: demo · checkpoint_000050"],
  ["models side by side", { targets: [saved, "a/b"], turn: null }, "Chat: demo · 2 models"],
  ["a stored turn", { targets: ["/runs/demo"], turn }, "Chat: demo · step 3, turn 4"],
])("the tab title of a conversation shows %s", (_, start, title) => {
  expect(chatTitle(run, start)).toBe(title);
});
