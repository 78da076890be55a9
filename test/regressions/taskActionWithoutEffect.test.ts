import { expect, it } from "vitest";
import { TASK_TYPE } from "../../src/host/manifest/taskType.ts";
import { readTrainTask, TASK_ACTIONS } from "../../src/host/task/trainTask.ts";
import { manifest } from "../manifest/builtManifest.ts";

it("a task offers the actions that something does, and no others", () => {
  const [definition] = manifest.contributes.taskDefinitions;
  expect(definition).toMatchObject({ type: TASK_TYPE });
  expect(definition?.properties["action"]?.enum).toEqual(TASK_ACTIONS);
  for (const action of TASK_ACTIONS) {
    expect(readTrainTask({ type: TASK_TYPE, config: "a.yaml", action })).toMatchObject({ action });
  }
});
