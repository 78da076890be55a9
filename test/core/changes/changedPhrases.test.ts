import { expect, it } from "vitest";
import { changedPhrases } from "../../../src/core/changes/changedPhrases.ts";
import { wordsOf } from "../../../src/core/changes/phraseCounts.ts";
import { createUniform } from "../../../src/core/util/uniform.ts";

const uniform = createUniform(3);
const VOCABULARY = Array.from({ length: 400 }, (_, at) => `word${Math.floor(at ** 1.4)}`);

function noise(length: number): string {
  const word = () => VOCABULARY[Math.floor(uniform() ** 2 * VOCABULARY.length)] ?? "";
  return Array.from({ length }, word).join(" ");
}

function rollouts(count: number, said: (at: number) => string) {
  return Array.from({ length: count }, (_, at) =>
    wordsOf([`${noise(120)} ${said(at)} ${noise(40)}`]),
  );
}

it("finds a phrase that a part of the rollouts begins to say, as one phrase with its counts", () => {
  const before = rollouts(200, (at) => (at % 4 === 0 ? "let me check the work" : ""));
  const after = rollouts(200, (at) => (at % 5 === 0 ? "import sys; sys.exit(0)" : ""));
  const { more, less } = changedPhrases(before, after);
  expect(more[0]).toMatchObject({ words: "import sys sys exit 0", before: 0, after: 40 });
  expect(less[0]).toMatchObject({ words: "let me check the work", before: 50, after: 0 });
  expect(more.filter(({ words }) => words.includes("sys"))).toHaveLength(1);
});

it("finds hardly anything where nothing has changed", () => {
  const { more, less } = changedPhrases(
    rollouts(200, () => ""),
    rollouts(200, () => ""),
  );
  expect(more.length + less.length).toBeLessThan(30);
  expect(more.every(({ score }) => score < 5)).toBe(true);
});

it("counts a phrase once a rollout, never across texts, and bounds a rollout's words", () => {
  const before = Array.from({ length: 40 }, () => wordsOf(["one two"]));
  const after = Array.from({ length: 40 }, () => wordsOf(["ha ha ha ha ha", "boo"]));
  const { more } = changedPhrases(before, after);
  expect(more[0]).toMatchObject({ before: 0, after: 40 });
  expect(more.some(({ words }) => words.includes("ha boo"))).toBe(false);
  expect(wordsOf([noise(5_000)])).toHaveLength(4_000);
});
