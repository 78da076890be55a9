/** `json`: the same JSON value. */

import { isJsonObject, type Json } from "../../../../core/json.ts";
import { parseJson } from "../../../../core/util/jsonl.ts";
import { answerText, type Grader, type Reference } from "./grader.ts";
import { isClose, type Tolerance } from "./tolerance.ts";

/** Longer answers are wrong. */
const MAX_CHARACTERS = 1_000_000;
const FENCE = "```";

/** Key order does not matter, list order does; numbers may differ within the tolerance. A string containing JSON counts as its value. */
export function jsonGrader(tolerance: Tolerance): Grader {
  return {
    takesJson: true,
    fault: (reference) => (expectedValue(reference) === undefined ? "is not JSON" : null),
    isRight(answer, reference) {
      if (answer.length > MAX_CHARACTERS) return false;
      const expected = expectedValue(reference);
      const text = answer.trim();
      const found = parseJson(text) ?? parseJson(lastBlock(text)) ?? parseJson(lastValue(text));
      return found !== null && expected !== undefined && isSame(found.value, expected, tolerance);
    },
    rule: "Answer with JSON. The order of keys does not matter.",
  };
}

function expectedValue(reference: Reference): Json | undefined {
  const { answer } = reference;
  if (typeof answer !== "string") return answer;
  // `parseJson` only returns JSON values.
  return parseJson(answerText(reference))?.value as Json | undefined;
}

/** The contents of the Markdown code block at the end; empty if there is none. */
function lastBlock(text: string): string {
  if (!text.endsWith(FENCE)) return "";
  const block = text.slice(
    text.lastIndexOf(FENCE, text.length - FENCE.length - 1) + FENCE.length,
    -FENCE.length,
  );
  return block.slice(block.indexOf("\n") + 1);
}

/** From the last line that starts an object or a list to the end; without one, the last line. */
function lastValue(text: string): string {
  const starts = [text.lastIndexOf("\n{"), text.lastIndexOf("\n[")];
  return text.slice(Math.max(...starts, starts[0] === starts[1] ? text.lastIndexOf("\n") : -1) + 1);
}

/** Recurses along the expected value, whose size is bounded by the file. */
function isSame(given: unknown, expected: Json, tolerance: Tolerance): boolean {
  if (typeof expected === "number") {
    return typeof given === "number" && isClose(given, expected, tolerance);
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(given) || given.length !== expected.length) return false;
    return expected.every((each, index) => isSame(given[index], each, tolerance));
  }
  if (isJsonObject(expected)) {
    const keys = Object.keys(expected);
    if (!isJsonObject(given) || Object.keys(given).length !== keys.length) return false;
    return keys.every(
      (key) => Object.hasOwn(given, key) && isSame(given[key], expected[key] ?? null, tolerance),
    );
  }
  return given === expected;
}
