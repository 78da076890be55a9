import { expect, it } from "vitest";
import { changedPhrases } from "../../../src/core/changes/changedPhrases.ts";
import { wordsOf } from "../../../src/core/changes/phraseCounts.ts";
import { createUniform } from "../../../src/shared/uniform.ts";

const uniform = createUniform(3);
const VOCABULARY = Array.from({ length: 400 }, (_, at) => `word${Math.floor(at ** 1.4)}`);

function noise(length: number): string {
  const word = () => VOCABULARY[Math.floor(uniform() ** 2 * VOCABULARY.length)] ?? "";
  return Array.from({ length }, word).join(" ");
}

/** One rollout per task. */
function tasks(count: number, said: (at: number) => string) {
  return Array.from({ length: count }, (_, at) => [
    wordsOf([`${noise(120)} ${said(at)} ${noise(40)}`]),
  ]);
}

it("finds a phrase that some rollouts start to say, as one phrase with its counts", () => {
  const before = tasks(200, (at) => (at % 4 === 0 ? "let me check the work" : ""));
  const after = tasks(200, (at) => (at % 5 === 0 ? "import sys; sys.exit(0)" : ""));
  const { more, less } = changedPhrases(before, after);
  expect(more[0]).toMatchObject({ words: "import sys sys exit 0", before: 0, after: 40 });
  expect(less[0]).toMatchObject({ words: "let me check the work", before: 50, after: 0 });
  expect(more.filter(({ words }) => words.includes("sys"))).toHaveLength(1);
});

it("finds nothing if nothing changed, except for one comparison in twenty", () => {
  const found = Array.from({ length: 20 }, () => {
    const { more, less } = changedPhrases(
      tasks(100, (at) => (at % 100 < 54 ? "as is often said" : "")),
      tasks(100, (at) => (at % 100 < 50 ? "as is often said" : "")),
    );
    return more.length + less.length;
  });
  expect(found.filter((count) => count > 0).length).toBeLessThanOrEqual(3);
});

it("ignores phrases that all rollouts of only a few tasks say", () => {
  const withTopic = (count: number, said: string) =>
    Array.from({ length: 40 }, (_, at) =>
      Array.from({ length: 8 }, () => wordsOf([`${noise(40)} ${at < count ? said : ""}`])),
    );
  const { more } = changedPhrases(withTopic(0, ""), withTopic(3, "the capital of France"));
  expect(more).toEqual([]);
  const { more: changed } = changedPhrases(
    withTopic(0, ""),
    withTopic(30, "the capital of France"),
  );
  expect(changed[0]).toEqual({ words: "the capital of france", before: 0, after: 240 });
});

it("counts a phrase once per rollout, never across texts, and limits a rollout's words", () => {
  const before = Array.from({ length: 40 }, () => [wordsOf(["one two"])]);
  const after = Array.from({ length: 40 }, () => [wordsOf(["ha ha ha ha ha", "boo"])]);
  const { more } = changedPhrases(before, after);
  expect(more[0]).toMatchObject({ before: 0, after: 40 });
  expect(more.some(({ words }) => words.includes("ha boo"))).toBe(false);
  expect(wordsOf([noise(5_000)])).toHaveLength(4_000);
});
