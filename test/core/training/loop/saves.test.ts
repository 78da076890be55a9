import { describe, expect, it } from "vitest";
import { linesOf, PATHS } from "../fakeContext.ts";
import {
  comparableRows,
  duringRollouts,
  duringUpdate,
  positionOf,
  prepareRun,
} from "./prepareRun.ts";

describe("a loop that gets a save command", () => {
  it("saves the last completed step during rollouts, and a resume from it is exact", async () => {
    const undisturbed = prepareRun({ steps: 4 });
    await undisturbed.run();
    const saving = prepareRun({ steps: null });
    const { control } = saving.context;
    duringRollouts(saving, 2, () => {
      void control.saveNow().then(() => control.stop());
    });
    const end = await saving.run();
    expect(end).toMatchObject({ outcome: "stopped", step: 2 });
    expect(saving.saves()).toEqual(["manual_000002"]);
    expect(linesOf(saving.context, PATHS.checkpoints)).toMatchObject([
      { kind: "manual", step: 2 },
      { kind: "interrupt", step: 2 },
    ]);

    const rest = prepareRun({ steps: 4 });
    await rest.run(await positionOf(saving));
    expect(rest.sampler.requests).toEqual(undisturbed.sampler.requests.slice(4));
    expect(rest.context.client.lossCalls).toEqual(undisturbed.context.client.lossCalls.slice(2));
  });

  it("does not disturb the steps", async () => {
    const undisturbed = prepareRun();
    await undisturbed.run();
    const saving = prepareRun();
    duringRollouts(saving, 1, () => void saving.context.control.saveNow());
    await saving.run();
    expect(saving.saves()).toEqual(["manual_000001", "final_000003"]);
    expect(saving.sampler.requests).toEqual(undisturbed.sampler.requests);
    expect(comparableRows(saving)).toEqual(comparableRows(undisturbed));
  });

  it("saves the step in progress when it is in its update", async () => {
    const saving = prepareRun();
    const saved: unknown[] = [];
    duringUpdate(saving, 1, () => {
      void saving.context.control.saveNow().then((entry) => saved.push(entry.name));
    });
    await saving.run();
    expect(saved).toEqual(["manual_000002"]);
    const { calls } = saving.context.client;
    const place = calls.indexOf("saveState manual_000002");
    expect(calls.slice(0, place).filter((name) => name === "optimStep")).toHaveLength(2);
    expect(calls.slice(0, place).filter((name) => name === "ephemeralSampler")).toHaveLength(3);
  });

  it("answers with the final save during the last update or later", async () => {
    const saving = prepareRun({ steps: 1 });
    const { context } = saving;
    const names: string[] = [];
    duringUpdate(saving, 0, () => {
      void context.control.saveNow().then((entry) => names.push(entry.name));
    });
    await saving.run();
    names.push((await context.control.saveNow()).name);
    expect(names).toEqual(["manual_000001", "manual_000001"]);
    const state_path = expect.stringMatching(/manual_000001$/);
    const final = { kind: "final", step: 1, state_path };
    expect(linesOf(context, PATHS.checkpoints).at(-1)).toMatchObject(final);
  });
});
