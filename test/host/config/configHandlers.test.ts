import { expect, it, vi } from "vitest";
import { configHandlers } from "../../../src/host/config/configHandlers.ts";
import { user } from "../fakeWindow.ts";

vi.mock("vscode", async () => {
  const { fakeVscode } = await import("../fakeVscode.ts");
  Object.assign(fakeVscode.workspace, { findFiles: async () => [] });
  return {
    ...fakeVscode,
    Uri: class {},
    window: (await import("../fakeWindow.ts")).fakeWindow,
  };
});

it("a command about a configuration offers to create one if there is none", async () => {
  const { addEnvironment } = configHandlers({} as never); // none of it is read
  await addEnvironment({ name: "local/calculator" });
  expect(user.texts).toEqual(["There is no configuration in this workspace."]);
  expect(user.buttons).toEqual([["New Configuration…", "Try the Local Demo"]]);
});
