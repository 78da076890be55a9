import { describe, expect, it, vi } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import type { RunEnd } from "../../src/trainer/types.ts";
import { aTrainer, createFakeProgram, started } from "../cli/fakeProgram.ts";
import { aTraining, opened } from "../host/task/openedTerminal.ts";

/** What VS Code learns, and what stands in the terminal, when a training ends so. */
async function ended(exitCode: number | null | "not started") {
  const end = exitCode === "not started" ? null : { exitCode, error: null, folder: "/run" };
  const { codes, text } = opened(aTraining({ follow: async () => end }));
  await vi.waitFor(() => expect(codes).toHaveLength(1));
  return { code: codes[0], text: text() };
}

describe("the task of a training", () => {
  it.each([
    ["is done", 0],
    ["was stopped and saved", 3],
    ["was stopped at once", 6],
    ["was not begun, because the user gave up", "not started"],
  ] as const)("that %s ends with success", async (_name, exitCode) => {
    expect((await ended(exitCode)).code).toBe(0);
  });

  it.each([1, 2, 4, 5])("that failed ends with its code %i, which VS Code writes", async (code) => {
    const end = await ended(code);
    expect(end.code).toBe(code);
    expect(end.text).not.toMatch(/exit code|\d/);
  });

  it("that was killed ends as a failure", async () => {
    expect((await ended(null)).code).toBe(6);
  });
});

/** Lines of the program for a run that ends without a word of its own. */
async function linesOf(end: RunEnd) {
  const program = createFakeProgram({
    trainer: aTrainer({
      startTraining: ({ watch }) => {
        watch(started({ step: 3 }));
        return { ended: Promise.resolve(end), stopAndSave: () => 0, stopNow: () => 0 };
      },
    }),
  });
  await runProgram(program, ["a.yaml"]);
  return program.out.lines;
}

describe("the last words of a run", () => {
  it.each([
    ["interrupted", "stopped at once, without a save"],
    ["stopped", "stopped with nothing left to save"],
  ] as const)("that is %s say that it was stopped, and how to go on", async (outcome, words) => {
    const lines = await linesOf({ outcome, folder: null });
    expect(lines.slice(-4)).toContain(words);
    expect(lines).toContain("resume        tinker-rl resume runs/demo");
  });

  it("that is done say nothing of a stop", async () => {
    expect((await linesOf({ outcome: "done", folder: null })).join("\n")).not.toMatch(/stopped/);
  });
});
