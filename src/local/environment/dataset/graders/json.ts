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
      const whole = parseJson(withoutFence(text));
      const found = whole ?? parseJson(text.slice(text.lastIndexOf("\n") + 1));
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

/** The contents of a Markdown code block; other text is returned unchanged. */
function withoutFence(text: string): string {
  const head = text.indexOf("\n");
  const isBlock = head > 0 && text.startsWith(FENCE) && text.endsWith(FENCE);
  return isBlock ? text.slice(head, -FENCE.length) : text;
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
