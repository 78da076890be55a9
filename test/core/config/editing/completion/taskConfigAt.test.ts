import { describe, expect, it } from "vitest";
import { taskConfigAt } from "../../../../../src/core/config/editing/completion/taskConfigAt.ts";

const TASKS = `{
  // "type": "tinker-rl", in a comment only
  "version": "2.0.0",
  "tasks": [
    { "type": "shell", "config": "other|" },
    {
      "type": "tinker-rl", /* { */
      "overrides": { "learning_rate": 1e-5 },
      "config": "con|figs/a.yaml", // } and "{"
      "presentation": { "panel": "new" }
    },
    { "config": "un|finished
`;

/** The part of the text that a completion at the `nth` mark would replace; null when none is offered. */
function replacedAt(nth: number): string | null {
  const parts = TASKS.split("|");
  const text = parts.join("");
  const offset = parts.slice(0, nth).join("").length;
  const span = taskConfigAt(text, offset, "tinker-rl");
  return span === null ? null : text.slice(span.start, span.end);
}

describe("completion of a configuration in tasks.json", () => {
  it("replaces the whole name in a task of our type, among comments and nested objects", () => {
    expect(replacedAt(2)).toBe("configs/a.yaml");
  });

  it("is not offered in tasks of other types, or before the type is written", () => {
    expect(replacedAt(1)).toBeNull();
    expect(replacedAt(3)).toBeNull();
  });

  it("works while the string is still open", () => {
    const text = '{"tasks": [{"type": "tinker-rl", "config": "a';
    expect(taskConfigAt(text, text.length, "tinker-rl")).toEqual({
      start: text.length - 1,
      end: text.length,
    });
  });

  it("is not offered anywhere else", () => {
    const text = '{"type": "tinker-rl", "label": "x", "config": "a"}';
    for (const at of [0, 12, 33, text.indexOf("config"), text.length]) {
      expect(taskConfigAt(text, at, "tinker-rl"), String(at)).toBeNull();
    }
  });
});
