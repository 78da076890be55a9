import { describe, expect, it } from "vitest";
import { britishFaults, wordFaults } from "../../scripts/privateWords.ts";

describe("rejects a private word and suggests the replacement", () => {
  it.each([
    ["a type", "export class CheckpointKeeper {}", "CheckpointKeeper", "CheckpointWriter"],
    ["a call", "const stop = orAborted(wait, signal);", "orAborted", "raceAbort"],
    ["a verb in a comment", "// The loop heeds a stop.", "heeds", "follow, apply, handle"],
    ["a noun in a message", 'say("Your wish was granted.");', "wish", "request, command"],
    ["two words", "/** Sits out the outage. It sat out the last one. */", "sat out", "wait for"],
  ])("%s", (_, text, found, instead) => {
    expect(wordFaults(text)).toEqual([
      { line: 1, problem: `"${found}" is a word of our own; write ${instead}.` },
    ]);
  });
});

it("reports each word with its line", () => {
  expect(wordFaults("fine\nmend it\nfine\nmended, and wished for").map(({ line }) => line)).toEqual(
    [2, 4, 4],
  );
});

it("allows words that only contain one", () => {
  expect(wordFaults("amend, recommended, wishlist, heedless, CheckpointKeepers")).toEqual([]);
});

it("rejects British spelling, and allows words that both spellings share", () => {
  const british = "Colour by\nthe behaviour was cancelled\nnormalised, and a grey centre";
  expect(britishFaults(british).map(({ line }) => line)).toEqual([1, 2, 2, 3, 3, 3]);
  expect(britishFaults("color, behavior, canceled, otherwise, promise, center, license")).toEqual(
    [],
  );
});
