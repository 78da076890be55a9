import { expect, test } from "vitest";
import { Screen } from "../../../src/cli/progress/screen.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { rolloutFinished, started, stepFinished } from "../fakeProgram.ts";
import { createFakeTerminal } from "../fakeTerminal.ts";

function aScreen(isInteractive: boolean) {
  const terminal = createFakeTerminal({ isInteractive });
  const clock = new FakeClock();
  const invocation = { program: "tinker-rl", cwd: "/home/me" };
  return { terminal, clock, screen: new Screen({ terminal, clock, invocation }) };
}

test("the live line is drawn immediately, then at most ten times a second, and ends up to date", async () => {
  const { terminal, clock, screen } = aScreen(true);
  screen.watch({ kind: "step-started", step: 0, rollouts: 4 });
  for (const done of [1, 2, 3]) screen.watch(rolloutFinished(done, 1));
  expect(terminal.live).toHaveLength(1);
  await clock.advance(99);
  expect(terminal.live).toHaveLength(1);
  await clock.advance(1);
  expect(terminal.live).toHaveLength(2);
  expect(terminal.live[1]).toContain("3 of 4 rollouts");
});

test("a closed screen removes the live line and draws none afterward", async () => {
  const { terminal, clock, screen } = aScreen(true);
  screen.watch({ kind: "step-started", step: 0, rollouts: 4 });
  screen.watch(rolloutFinished(1, 1));
  screen.close();
  screen.watch(rolloutFinished(2, 1));
  await clock.advance(1000);
  expect(terminal.live.at(-1)).toBeNull();
  expect(terminal.live).toHaveLength(2);
  expect(clock.sleeping).toBe(0);
});

test("a pipe gets lines and never a live line", () => {
  const { terminal, screen } = aScreen(false);
  screen.watch(started());
  screen.watch({ kind: "step-started", step: 0, rollouts: 4 });
  screen.watch(stepFinished({ step: 0 }));
  expect(terminal.live).toEqual([]);
  expect(terminal.lines.at(-1)).toMatch(/^step {2}1\/40 {2}reward {2}0\.53/);
});

test("results that the end of a run reuses are printed once", () => {
  const { terminal, screen } = aScreen(false);
  const evaluated = { kind: "evaluated", results: [], baseline: null } as const;
  for (const step of [3, 6]) screen.watch({ ...evaluated, step, purpose: "periodic" });
  screen.watch({ ...evaluated, step: 6, purpose: "end" });
  expect(terminal.lines.filter((line) => line.startsWith("evaluation"))).toEqual([
    "evaluation after 3 steps",
    "evaluation after 6 steps",
  ]);
});

test("the command to resume a run is shown only if there is a run", () => {
  const { terminal, screen } = aScreen(false);
  screen.printNextSteps();
  expect(terminal.lines).toEqual([]);
  screen.watch(started());
  screen.printNextSteps();
  expect(terminal.lines.join("\n")).not.toContain("resume");
  screen.watch({
    kind: "checkpoint",
    name: "a",
    step: 1,
    checkpointKind: "rolling",
    statePath: "",
  });
  screen.printNextSteps();
  expect(terminal.lines).toContain("resume        tinker-rl resume runs/demo");
});
