import { expect, it } from "vitest";
import { Emitter } from "../../../src/core/util/emitter.ts";
import { openOnStart } from "../../../src/host/dashboard/openOnStart.ts";
import type { ActiveTraining } from "../../../src/host/runs/trainings.ts";
import { aTrainingRequest } from "../../fakes/aTrainingRequest.ts";

function aWindow({ opens = true } = {}) {
  const changed = new Emitter<void>((error) => expect.unreachable(String(error)));
  const active: ActiveTraining[] = [];
  const done: string[] = [];
  openOnStart({
    trainings: { active, onDidChange: changed.event },
    dashboard: {
      openBeside: (folder) => done.push(`open ${folder}`),
      offer: (folder) => done.push(`offer ${folder}`),
    },
    opens: () => opens,
  });
  const begin = (folder: string | null, isStartedByHand: boolean): void => {
    const request = aTrainingRequest("/p/c.yaml");
    active.push({ request, folder, isStartedByHand, send: async () => "" });
    changed.fire();
  };
  return { begin, done };
}

it("opens only for a run that a person has just started, offers any other run, and does each once", () => {
  const { begin, done } = aWindow();
  begin(null, true);
  begin("/runs/mine", true);
  begin("/runs/next-of-sweep", false);
  expect(done).toEqual(["open /runs/mine", "offer /runs/next-of-sweep"]);
});

it("does not open with the setting `never`", () => {
  const { begin, done } = aWindow({ opens: false });
  begin("/runs/mine", true);
  expect(done).toEqual([]);
});
