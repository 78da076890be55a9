import { expect, it, vi } from "vitest";
import { rememberStartedRuns } from "../../../src/host/runs/startedRuns.ts";
import type { ActiveTraining } from "../../../src/host/runs/trainings.ts";
import { aTrainingRequest } from "../../fakes/aTrainingRequest.ts";
import { aRun } from "../runEntries.ts";

/** A window that watches `/projects/runs` and opened runs. */
function aWindow() {
  const opened: string[] = [];
  let active: readonly ActiveTraining[] = [];
  let report = (): void => undefined;
  const errors: unknown[] = [];
  const find = vi.fn(async () => undefined);
  rememberStartedRuns({
    trainings: {
      get active() {
        return active;
      },
      onDidChange: (listener) => {
        report = () => listener();
        return { dispose: () => undefined };
      },
    },
    store: {
      refresh: async () => undefined,
      get: (folder) =>
        folder.startsWith("/projects/runs/") || opened.includes(folder) ? aRun({ folder }) : null,
    },
    labels: { addOpened: async (folder) => void opened.push(folder) },
    finder: { find },
    onError: (error) => errors.push(error),
  });
  const start = (folder: string | null): void => {
    const request = aTrainingRequest("/projects/c.yaml");
    active = [{ request, folder, isStartedByHand: true, send: async () => "" }];
    report();
  };
  const end = (): void => {
    active = [];
    report();
  };
  return { opened, errors, find, start, end };
}

it("remembers a run that an override placed elsewhere, as if it had been opened", async () => {
  const { opened, find, start } = aWindow();
  start(null);
  start("/elsewhere/demo");
  await vi.waitFor(() => expect(opened).toEqual(["/elsewhere/demo"]));
  await vi.waitFor(() => expect(find).toHaveBeenCalledTimes(2));
  start("/elsewhere/demo");
  expect(opened).toEqual(["/elsewhere/demo"]);
});

it("remembers a deleted run again when the same start brings it back", async () => {
  const { opened, start, end } = aWindow();
  start("/elsewhere/demo");
  await vi.waitFor(() => expect(opened).toEqual(["/elsewhere/demo"]));
  end();
  opened.length = 0;
  start("/elsewhere/demo");
  await vi.waitFor(() => expect(opened).toEqual(["/elsewhere/demo"]));
});

it("records nothing about runs in folders that the window watches anyway", async () => {
  const { opened, find, start, errors } = aWindow();
  start("/projects/runs/demo");
  await new Promise((resolve) => setImmediate(resolve));
  expect([opened, errors, find.mock.calls]).toEqual([[], [], []]);
});
