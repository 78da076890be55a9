import { expect, it, vi } from "vitest";
import { newEnvironmentHandlers } from "../../../src/host/commands/newEnvironment.ts";
import { user } from "../fakeWindow.ts";

const commands = vi.hoisted((): string[] => []);
vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  window: (await import("../fakeWindow.ts")).fakeWindow,
  commands: { executeCommand: async (name: string) => void commands.push(name) },
}));

it("in a window without a folder offers to open one", async () => {
  const { newEnvironment } = newEnvironmentHandlers({} as never); // no request is sent
  user.presses = ["Open Folder"];
  await newEnvironment();
  expect(user.texts).toEqual(["A new environment needs a folder. Open one first."]);
  expect(commands).toEqual(["vscode.openFolder"]);
});
