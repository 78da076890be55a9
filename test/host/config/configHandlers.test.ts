import { expect, it, vi } from "vitest";
import { configHandlers } from "../../../src/host/config/configHandlers.ts";

const shown = vi.hoisted((): (readonly string[])[] => []);
vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  Uri: class {},
  workspace: { getConfiguration: () => ({ get: () => undefined }), findFiles: async () => [] },
  window: {
    activeTextEditor: undefined,
    showInformationMessage: async (...words: readonly string[]) => void shown.push(words),
  },
}));

it("a command about a configuration offers to create one if there is none", async () => {
  const { addEnvironment } = configHandlers({} as never); // none of it is read
  await addEnvironment({ name: "local/calculator" });
  expect(shown).toEqual([
    ["There is no configuration in this workspace.", "New Configuration…", "Try the Local Demo"],
  ]);
});
