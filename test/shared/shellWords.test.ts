import { expect, it } from "vitest";
import { shellCommands, shellWord, shellWords } from "../../src/shared/shellWords.ts";

it.each([
  ["runs/demo", "runs/demo", "runs/demo"],
  ["C:\\runs\\demo", "C:\\runs\\demo", "C:\\runs\\demo"],
  ["my runs", '"my runs"', '"my runs"'],
  ["C:\\Users\\Ada B", "'C:\\Users\\Ada B'", '"C:\\Users\\Ada B"'],
  ["it's $5", "'it'\\''s $5'", "'it''s $5'"],
])("the word %s is quoted for the shells of the system", (word, posix, windows) => {
  expect([shellWord(word), shellWord(word, true)]).toEqual([posix, windows]);
});

it.each([
  ["cmd and PowerShell find it", "a", "environments\\a\\.venv\\Scripts\\python.exe"],
  [
    "cmd finds it if a folder has a space",
    "a b",
    '"environments\\a b\\.venv\\Scripts\\python.exe"',
  ],
])("a program is named as %s", (_, folder, program) => {
  const words = [
    `environments/${folder}/.venv/Scripts/python.exe`,
    "-m",
    "pytest",
    "environments/a",
  ];
  expect(shellWords(words, true)).toBe(`${program} -m pytest environments/a`);
});

it("chained commands can be pasted into any shell of the system", () => {
  const commands = [
    ["uv", "venv", "demo/.venv"],
    ["uv", "pip", "install", "a>1"],
  ];
  expect(shellCommands(commands)).toBe('uv venv demo/.venv && uv pip install "a>1"');
  expect(shellCommands(commands, true)).toBe('uv venv demo/.venv\nuv pip install "a>1"');
});
