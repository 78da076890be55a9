import { expect, it, vi } from "vitest";
import { doForPage } from "../../../src/host/dashboard/pageOrders.ts";
import { user } from "../fakeWindow.ts";
import { aRun } from "../runEntries.ts";

vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  workspace: { fs: { stat: () => Promise.reject(new Error("There is no such file.")) } },
  window: (await import("../fakeWindow.ts")).fakeWindow,
}));

it("reports that a renamed configuration is missing, and where the run stores its copy", async () => {
  const file = { configPath: "/p/c.yaml" } as never; // the only part that is read
  const store = { get: () => aRun({ folder: "/runs/demo", file }) };
  const order = { kind: "command", command: "openConfigAt", folder: "/runs/demo", args: {} };
  await doForPage({ ...order, alarm: null } as never, { store } as never); // only the members it reads
  expect(user.texts).toEqual([
    "/p/c.yaml no longer exists. Run › Configuration shows what the run was started with.",
  ]);
});
