import { expect, it } from "vitest";
import { deploymentLogText } from "../../../src/server/catalogue/deploymentLogText.ts";

const LOG = {
  id: "1234567890",
  status: "failed",
  branch: "main",
  commit: "abcdef0123",
  createdAt: "2026-11-27",
  build: "step 1\nstep 2",
  lines: ["12:00 INFO served"],
};

it("a deployment's log starts with its state and has its output", () => {
  expect(deploymentLogText("Owner/Game", LOG)).toBe(`Owner/Game
https://openreward.ai/Owner/Game
deployment 12345678 · failed · branch main · commit abcdef01 · 2026-11-27

Since it runs, the newest lines:
12:00 INFO served

Its build:
step 1
step 2
`);
});

it("the log of an environment without a deployment says that it was never built", () => {
  expect(deploymentLogText("Owner/Game", null)).toContain("It was never built.");
});

it("control characters in a log have no effect", () => {
  expect(deploymentLogText("Owner/Game", { ...LOG, lines: ["\u001b[31mred"] })).not.toContain(
    "\u001b",
  );
});
