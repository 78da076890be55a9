import { expect, test } from "vitest";
import { createEventLog, readEvents } from "../../../src/core/runFolder/events.ts";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { collect } from "./builders.ts";
import { createMemoryFileSystem, createStillClock } from "./memoryFileSystem.ts";

test("an event is stored with its time and attempt, without secrets", async () => {
  const fileSystem = createMemoryFileSystem();
  const clock = createStillClock();
  const redactor = new Redactor();
  redactor.learn("tml-secret-value");
  const log = createEventLog({ fileSystem, clock, redactor, folder: "run", attempt: 2 });
  await log.record({
    kind: "retry",
    level: "warn",
    step: 7,
    message: "401 for tml-secret-value",
    data: { header: { Authorization: "Bearer tml-secret-value" } },
  });
  expect(await fileSystem.readText(runPaths("run").events)).not.toContain("tml-secret");
  expect(await collect(readEvents(fileSystem, "run"))).toEqual([
    {
      timeMs: clock.now(),
      attempt: 2,
      kind: "retry",
      level: "warn",
      step: 7,
      message: "401 for ***",
      data: { header: { Authorization: "Bearer ***" } },
    },
  ]);
});
