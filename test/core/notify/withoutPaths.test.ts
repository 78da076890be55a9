import { expect, it } from "vitest";
import { withoutPaths } from "../../../src/core/notify/withoutPaths.ts";

const FOLDERS = [
  ["/home/ann/my runs/first", "the run folder"],
  ["/home/ann", "~"],
] as const;

it.each([
  [
    "The disk is full: /home/ann/my runs/first/usage.jsonl.",
    "The disk is full: the run folder/usage.jsonl.",
  ],
  [
    "There is no folder /srv/data/private/questions, or a link.",
    "There is no folder …/questions, or a link.",
  ],
  ["`C:\\Users\\ann\\hook.py` failed", "`…/hook.py` failed"],
  ["Read ~/secret/notes.txt", "Read …/notes.txt"],
  ["GET https://api.test/v1/items of Owner/Name in local/calculator: 3/4 steps", null],
])("removes absolute paths from %s and keeps the rest", (text, cleaned) => {
  expect(withoutPaths(text, FOLDERS)).toBe(cleaned ?? text);
});
