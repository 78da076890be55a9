import { expect, it } from "vitest";
import { RunFollower } from "../../../src/core/runFolder/follower.ts";
import { Answerer } from "../../../src/server/dashboard/answerer.ts";
import type { HostMessage } from "../../../src/shared/dashboardMessages.ts";
import { writeEvaluation } from "../../core/runFolder/evaluatedRun.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { FakeClock, until } from "../../fakes/fakeClock.ts";
import { textsHere } from "../../fakes/textsHere.ts";

const folder = "/runs/evaluated";

/** The answer about the last rollout of the evaluation after 40 steps. */
async function counterpartIn(step: number): Promise<HostMessage | undefined> {
  const fileSystem = createMemoryFileSystem();
  const files = fileSystem.within(folder);
  await writeEvaluation(files, folder, 0, 0.25);
  await writeEvaluation(files, folder, 40, 1);
  const answers: HostMessage[] = [];
  const answerer = new Answerer({
    fileSystem,
    clock: new FakeClock(),
    follower: new RunFollower({ fileSystem, folder }),
    post: (message) => void answers.push(message),
    tokenTexts: async () => null,
    texts: textsHere(fileSystem, folder),
    shortenPath: (path) => path,
    clean: (text) => text,
  });
  const key = { source: "evaluation", step: 40, group: 7, rollout: 1 } as const;
  answerer.answer(1, { ask: "counterpart", key, set: { source: "evaluation", step } });
  await until(() => answers.length > 0);
  return answers[0];
}

it("finds the same task, sampled the same way, in another evaluation", async () => {
  expect(await counterpartIn(0)).toMatchObject({
    kind: "rollout",
    body: { prompt: { text: "Task 13 at 1 after 0" }, reward: 0 },
  });
});

it("reports an evaluation without the task", async () => {
  expect(await counterpartIn(20)).toMatchObject({
    kind: "error",
    message: "There is no rollout of this task in the evaluation after 20 steps.",
  });
});
