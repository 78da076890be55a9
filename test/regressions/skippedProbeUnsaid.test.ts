import { describe, expect, it } from "vitest";
import type { Config } from "../../src/core/config/fields/schema.ts";
import type { NewRunEvent } from "../../src/core/runFolder/events.ts";
import { tinkerError } from "../../src/core/tinker/transport/errors.ts";
import { runLoop } from "../../src/core/training/loop.ts";
import { START } from "../../src/core/training/step/loopPosition.ts";
import { result, scriptedEnvironment } from "../core/rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../core/rollout/scriptedModel.ts";
import { aConfig, anEnvironment, ENVIRONMENT } from "../core/training/builders.ts";
import { aContext } from "../core/training/fakeContext.ts";
import { resultOf } from "../core/training/fakeTrainingClient.ts";

/** Three steps on a server that takes no request without an update. */
async function run(changes: Partial<Config>) {
  const recorded: NewRunEvent[] = [];
  let rewards = 0;
  const onCall = () => result("", { reward: rewards++ % 2, finished: true });
  const context = aContext({
    remote: scriptedEnvironment([{ onCall }]),
    totalSteps: 3,
    config: aConfig({
      batch_size: 1,
      environments: { [ENVIRONMENT]: anEnvironment({ num_rollouts: 2 }) },
      ...changes,
    }),
    events: { record: async (event) => void recorded.push(event) },
  });
  context.client.sampler = scriptedSampler([ended(call("answer"))]);
  context.client.answer = (one) => {
    if (one.forwardOnly) throw tinkerError("tinker-request-failed", "no forward pass here");
    return resultOf(one, -1);
  };
  const identity = { runId: "run", configHash: "h", changedKeys: [], generation: 1 };
  await context.clock.run(runLoop(context, START, identity));
  const said = context.progress.flatMap((event) =>
    event.kind === "notice" || event.kind === "warning" ? [event.message] : [],
  );
  const events = recorded.filter(({ kind }) => kind === "server-probed");
  return { said, events: events.map(({ message }) => message) };
}

describe("a server whose loss was not checked", () => {
  it("is reported once where probe_server: false says so", async () => {
    const message =
      "probe_server: false leaves unchecked whether the server at http://tinker.test computes loss_fn: ppo as documented.";
    expect(await run({ probe_server: false })).toEqual({ said: [message], events: [message] });
  });

  it("is reported once where the check fails", async () => {
    const { said, events } = await run({ probe_server: true });
    expect(said).toEqual(events);
    expect(said).toEqual([expect.stringMatching(/could not be checked: no forward pass here/)]);
  });

  it("is an event alone where it is the embedded engine", async () => {
    const { said, events } = await run({ probe_server: false, model_name: "local/tiny-tool" });
    expect(said).toEqual([]);
    expect(events).toHaveLength(1);
  });
});
