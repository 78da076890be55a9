import { beforeEach, expect, it, vi } from "vitest";
import { checkpointHandlers } from "../../../src/host/commands/checkpointHandlers.ts";
import { aCheckpointEntry } from "../../core/runFolder/builders.ts";
import { resetUser, shownLabels, user } from "../fakeWindow.ts";
import { aRun, aRunList } from "../runEntries.ts";

const copied = vi.hoisted(() => [] as string[]);
vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  env: { clipboard: { writeText: async (text: string) => void copied.push(text) } },
  window: (await import("../fakeWindow.ts")).fakeWindow,
}));
beforeEach(resetUser);

const runs = ["amber", "basil"].map((name) => aRun({ name, folder: `/runs/${name}` }));
const { copyCheckpointPath } = checkpointHandlers({
  store: aRunList(runs),
  saved: {
    usable: async (folder: string) => [
      aCheckpointEntry({ step: 3, state_path: `tinker:/${folder}` }),
    ],
  },
} as never); // only the members that the handler uses

it.each([
  ["of the run that it is called on", { kind: "run", folder: "/runs/basil" }, ["basil · step 3"]],
  ["of all runs from the palette", undefined, ["amber · step 3", "basil · step 3"]],
])("a checkpoint command offers those %s", async (_, target, labels) => {
  user.picks = [["basil · step 3"]];
  await copyCheckpointPath(target);
  expect(shownLabels()).toEqual([labels]);
  expect(copied.at(-1)).toBe("tinker://runs/basil");
});
