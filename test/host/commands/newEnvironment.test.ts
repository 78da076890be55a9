import { expect, it, vi } from "vitest";
import { newEnvironmentHandlers } from "../../../src/host/commands/newEnvironment.ts";

const editor = vi.hoisted(() => ({ shown: [] as unknown[], commands: [] as string[] }));
vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  window: {
    showInformationMessage: async (...words: readonly string[]) => {
      editor.shown.push(words);
      return words.at(-1);
    },
  },
  commands: { executeCommand: async (name: string) => void editor.commands.push(name) },
}));

it("in a window without a folder offers to open one", async () => {
  const { newEnvironment } = newEnvironmentHandlers({} as never); // no request is sent
  await newEnvironment();
  expect(editor.shown).toEqual([
    ["A new environment needs a folder. Open one first.", "Open Folder"],
  ]);
  expect(editor.commands).toEqual(["vscode.openFolder"]);
});
