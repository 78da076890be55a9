import { beforeEach, expect, it, vi } from "vitest";
import type { CheckpointEntry } from "../../../src/core/runFolder/checkpointLog.ts";
import type { CheckpointPlace } from "../../../src/host/commands/changeCheckpoint.ts";
import { openCheckpointPage } from "../../../src/host/commands/checkpointHandlers.ts";
import { aCheckpointEntry } from "../../core/runFolder/builders.ts";
import { aRun } from "../runEntries.ts";

const opened = vi.hoisted(() => [] as unknown[]);
vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  env: { openExternal: async (target: unknown) => void opened.push(target) },
}));

const ENTRY: CheckpointEntry = aCheckpointEntry({ name: "a", kind: "final" });

beforeEach(() => {
  opened.length = 0;
});

function open(
  place: CheckpointPlace,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  return openCheckpointPage(aRun(), ENTRY, place, { variables: () => variables });
}

it("opens the page with its address unchanged, because a URI of VS Code would alter it", async () => {
  await open({ kind: "Tinker", baseUrl: null, project: "/p" });
  expect(opened).toEqual([
    "https://tinker.thinkingmachines.ai/checkpoints/s%3Atrain%3A0/weights%2Fa",
  ]);
});

it.each([
  [{ kind: "this computer" }, {}],
  [{ kind: "Tinker", baseUrl: "https://own.example", project: "/p" }, {}],
  [{ kind: "Tinker", baseUrl: null, project: "/p" }, { TINKER_BASE_URL: "https://own.example" }],
] as const)("reports that there is no page for %j", async (place, variables) => {
  await expect(open(place, variables)).rejects.toThrow(
    "The service of demo has no web pages for its checkpoints.",
  );
  expect(opened).toEqual([]);
});
