import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  readEvidence,
  readKnown,
  writeEvidence,
  writeKnown,
} from "../../../src/core/runFolder/curriculumTexts.ts";
import { readState, writeState } from "../../../src/core/runFolder/state.ts";
import { aRunState } from "../../trainer/runState.ts";
import { createMemoryFileSystem } from "./memoryFileSystem.ts";

const measure = fc.double({ min: 0, max: 1e9, noNaN: true }).map(Math.abs);
const name = fc.stringMatching(/^[A-Za-z]+\/[A-Za-z ]*[a-z]:train:\d+$/);

describe("the stored knowledge of a curriculum", () => {
  it("is restored exactly", () => {
    const evidence = fc.record({
      successes: measure,
      failures: measure,
      tokens: measure,
      step: fc.nat(),
    });
    fc.assert(
      fc.property(fc.dictionary(name, evidence), (tasks) => {
        const all = Object.entries(tasks);
        expect([...(readEvidence(writeEvidence(all)) ?? [])]).toEqual(all);
      }),
    );
    fc.assert(
      fc.property(fc.dictionary(name, measure), (known) => {
        const all = Object.entries(known);
        expect([...(readKnown(writeKnown(all)) ?? [])]).toEqual(all);
      }),
    );
  });

  it.each(["1 2 3 4", "1 2 x 4 name", "1 -2 3 4 name", "1 2 Infinity 4 name", "1 2 3 4.5 name"])(
    "is null for a text in another format: %s",
    (text) => {
      expect(readEvidence(text)).toBeNull();
    },
  );

  it("fits into the state for tens of thousands of tasks", async () => {
    const tasks = Array.from({ length: 50_000 }, (_, i) => {
      const own = { successes: 0.6 + i / 7, failures: i / 3, tokens: 1000 / 7, step: i };
      return [`Owner/Environment:train:${i}`, own] as const;
    });
    const known = tasks.map(([task], i) => [task, i / 50_000] as const);
    const curriculum = { tasks: writeEvidence(tasks), drawn: [], known: writeKnown(known) };
    const fileSystem = createMemoryFileSystem();
    await writeState(fileSystem, "run", aRunState(3, { curriculum }));
    const state = await readState(fileSystem, "run");
    expect(readEvidence(state?.curriculum?.tasks ?? "")?.size).toBe(50_000);
    expect(state?.curriculum).toEqual(curriculum);
  });
});
