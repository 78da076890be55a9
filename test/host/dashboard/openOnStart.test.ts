import { beforeEach, expect, it, vi } from "vitest";
import { Emitter } from "../../../src/core/util/emitter.ts";
import { openOnStart } from "../../../src/host/dashboard/openOnStart.ts";
import type { ActiveTraining } from "../../../src/host/runs/trainings.ts";
import { aTrainingRequest } from "../../fakes/aTrainingRequest.ts";
import { settings } from "../fakeVscode.ts";

vi.mock("vscode", async () => (await import("../fakeVscode.ts")).fakeVscode);

beforeEach(() => settings.clear());

function aWindow() {
  const changed = new Emitter<void>((error) => expect.unreachable(String(error)));
  const active: ActiveTraining[] = [];
  const done: string[] = [];
  const dashboard = {
    openBeside: (folder: string) => done.push(`open ${folder}`),
    offer: (folder: string) => done.push(`offer ${folder}`),
  };
  openOnStart({ active, onDidChange: changed.event }, dashboard);
  const begin = (folder: string | null, isStartedByHand: boolean): void => {
    const request = aTrainingRequest("/p/c.yaml");
    active.push({ request, folder, isStartedByHand, send: async () => "" });
    changed.fire();
  };
  const end = (): void => {
    active.length = 0;
    changed.fire();
  };
  return { begin, end, done };
}

it("opens only for a run that a person has just started, offers any other run, and does each once", () => {
  const { begin, done } = aWindow();
  begin(null, true);
  begin("/runs/mine", true);
  begin("/runs/next-of-sweep", false);
  expect(done).toEqual(["open /runs/mine", "offer /runs/next-of-sweep"]);
});

it("opens again for a run that starts again in the same folder", () => {
  const { begin, end, done } = aWindow();
  begin("/runs/mine", true);
  end();
  begin("/runs/mine", true);
  expect(done).toEqual(["open /runs/mine", "open /runs/mine"]);
});

it("does not open with the setting `never`", () => {
  settings.set("dashboard.openOnStart", "never");
  const { begin, done } = aWindow();
  begin("/runs/mine", true);
  expect(done).toEqual([]);
});
