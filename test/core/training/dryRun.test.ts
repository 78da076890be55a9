import { expect, it } from "vitest";
import { stepPaths } from "../../../src/core/runFolder/files/layout.ts";
import { playDryRun } from "../../../src/core/training/dryRun.ts";
import { START } from "../../../src/core/training/step/loopPosition.ts";
import { result, scriptedEnvironment } from "../rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../rollout/scriptedModel.ts";
import { aConfig } from "./builders.ts";
import { aContext, FOLDER, linesOf, PATHS } from "./fakeContext.ts";

it("computes the loss of a step's data without gradients, updates, or saves", async () => {
  let answers = 0;
  const onCall = () => result("", { reward: answers++ % 2, finished: true });
  const config = aConfig({ batch_size: 1 });
  const context = aContext({ config, remote: scriptedEnvironment([{ onCall }]), totalSteps: 1 });
  context.client.sampler = scriptedSampler([ended(call("answer"))]);
  const output = await context.clock.run(playDryRun(context, START));
  expect(output.row["loss"]).toBe(4);
  expect(context.client.calls.filter((name) => name !== "ephemeralSampler")).toEqual(["forward"]);
  expect(linesOf(context, PATHS.metrics)).toHaveLength(1);
  const scored = linesOf(context, stepPaths(FOLDER, 0).index).filter(
    (line) => Object(line).kind === "scored",
  );
  expect(scored).toMatchObject([
    { advantage: expect.any(Number), trainingUse: "trained" },
    { trainingUse: "trained" },
    { trainingUse: "trained" },
    { trainingUse: "trained" },
  ]);
});
