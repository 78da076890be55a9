import { expect, it, vi } from "vitest";
import { startHandlers } from "../../../src/host/commands/startHandlers.ts";

const ends = vi.hoisted((): ((end: object) => void)[] => []);
vi.mock("vscode", async () => {
  const { fakeVscode } = await import("../fakeVscode.ts");
  return {
    ...fakeVscode,
    window: (await import("../fakeWindow.ts")).fakeWindow,
    tasks: {
      executeTask: async () => undefined,
      onDidEndTask: (listener: (end: object) => void) => {
        ends.push(listener);
        return { dispose: () => undefined };
      },
    },
  };
});

it("the notification of the local demo closes with its task, also if the task was canceled", async () => {
  const task = { definition: { type: "tinker-rl", config: "tinker-config.yaml" } };
  const { startLocalDemo } = startHandlers({
    demo: { prepare: async () => ({ uri: { fsPath: "/p/tinker-config.yaml" }, isNew: true }) },
    tasks: { taskOf: () => task },
    trainings: { active: [], onDidChange: () => ({ dispose: () => undefined }) },
  } as unknown as Parameters<typeof startHandlers>[0]);
  const isOver = vi.fn();
  const started = startLocalDemo().then(isOver);
  await vi.waitFor(() => expect(ends).toHaveLength(1));
  ends[0]?.({ execution: { task: { definition: { ...task.definition, config: "other.yaml" } } } });
  await new Promise(setImmediate);
  expect(isOver).not.toHaveBeenCalled();
  ends[0]?.({ execution: { task } });
  await started;
});
