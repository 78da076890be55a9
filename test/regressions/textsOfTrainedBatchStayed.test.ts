import { expect, it } from "vitest";
import { stepPaths } from "../../src/core/runFolder/files/layout.ts";
import { GroupQueue } from "../../src/core/training/generation/groupQueue.ts";
import { StoredGroups } from "../../src/core/training/generation/storedGroups.ts";
import { result, scriptedEnvironment } from "../core/rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../core/rollout/scriptedModel.ts";
import { aContext, FOLDER } from "../core/training/fakeContext.ts";

// The texts of a batch took as much memory as its tokens, once as the turn and once as its content, until the step was recorded.
it.each([
  ["on-policy", false, true],
  ["ahead", true, true],
  ["ahead, for a step that its rewards decide", true, false],
])(
  "a batch that was sampled %s is trained without the texts that were written down",
  async (_, isAhead, isStepKnown) => {
    const onCall = () => result("right", { reward: 1, finished: true });
    const context = aContext({ remote: scriptedEnvironment([{ onCall }]) });
    const queue = new GroupQueue(isAhead ? await StoredGroups.open(context) : null);
    const sampler = scriptedSampler([ended(call("answer"))]);
    queue.issue(context, {
      step: 0,
      isStepKnown,
      settingsHash: "h",
      items: [context.sequence.itemAt(0)],
      policy: { sampler, version: 0, updates: 0, behind: 0 },
    });
    const { rollouts } = await context.clock.run(queue.take(context, 0, 1));
    expect(
      rollouts.map(({ streams, facts }) => [streams.length, facts.turns.length]),
    ).toContainEqual([1, 1]);
    expect(rollouts.flatMap(({ record }) => [...record.turns, ...record.conversation])).toEqual([]);
    const written = await context.fileSystem.readText(stepPaths(FOLDER, 0).bodies);
    expect(written.match(/"sampledText":"[^"]/g)).toHaveLength(rollouts.length);
  },
);
