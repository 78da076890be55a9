import { describe, expect, it } from "vitest";
import { branchText } from "../../../../../src/core/config/editing/edits/branchText.ts";
import { configIn, textWith } from "../../configText.ts";

const statePath = "tinker://run/weights/checkpoint_000010";
const options = { path: "run.yaml" };

function branched(text: string, overrides: readonly string[], edits: readonly [string, number][]) {
  const changed = branchText(
    text,
    { overrides, statePath, edits: edits.map(([key, value]) => ({ path: [key], value })) },
    options,
  );
  if (changed === null) throw new Error("no text");
  return { changed, config: configIn(changed) };
}

describe("the configuration of a branch", () => {
  it("begins with the checkpoint and keeps everything else, comments too", () => {
    const text = textWith("max_steps: 7 # enough");
    const { changed, config } = branched(text, [], []);
    expect(config).toEqual({ ...configIn(text), resume_from: statePath });
    expect(changed).toContain("max_steps: 7 # enough");
  });

  it("has what the run was started with on the command line, and below it what is suggested", () => {
    const text = textWith("learning_rate: 2e-5");
    const overrides = ["learning_rate=4e-5", "environments.Owner/Game.num_rollouts=16"];
    const { config } = branched(text, overrides, [["learning_rate", 1e-5]]);
    expect(config.learning_rate).toBe(1e-5);
    expect(config.environments["Owner/Game"]?.num_rollouts).toBe(16);
    expect(branched(text, overrides, []).config.learning_rate).toBe(4e-5);
    // A suggestion that equals the file, but not what holds.
    const back = branched(text, overrides, [["learning_rate", 2e-5]]);
    expect(back.config.learning_rate).toBe(2e-5);
  });

  it("does not begin with other weights as well", () => {
    const text = textWith("init_from: tinker://other/weights/a");
    expect(branched(text, [], []).config).toMatchObject({
      init_from: null,
      resume_from: statePath,
    });
  });

  it("is none where the text has a fault", () => {
    expect(branchText("a: [", { overrides: [], statePath, edits: [] }, options)).toBeNull();
  });
});
