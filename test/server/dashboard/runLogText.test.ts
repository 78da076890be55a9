import { expect, it } from "vitest";
import type { RunEvent } from "../../../src/core/runFolder/events.ts";
import { runLogText } from "../../../src/server/dashboard/runLogText.ts";

function event(changes: Partial<RunEvent>): RunEvent {
  return {
    timeMs: Date.UTC(2026, 10, 22, 9, 5, 7),
    attempt: 1,
    step: null,
    level: "info",
    kind: "run-started",
    message: "The run begins.",
    data: {},
    ...changes,
  };
}

it("the log lists times and sentences, attempt after attempt, with steps counted from 1", () => {
  const text = runLogText(
    "demo",
    [
      event({}),
      event({ step: 4, level: "warn", kind: "alarm", message: "Two\nlines \u001b[31mred" }),
      event({ attempt: 2, kind: "run-resumed", message: "The run continues." }),
    ],
    { isLive: true },
  );
  expect(text.split("\n")).toEqual([
    "What happened in demo",
    "",
    "Attempt 1",
    expect.stringMatching(/^2026-11-2\d \d\d:\d\d:\d\d {2}\[info\] {5}The run begins\.$/),
    expect.stringMatching(/^2026-11-2\d \d\d:\d\d:\d\d {2}\[warning\] {2}step 5: Two lines .*red$/),
    "",
    "Attempt 2",
    expect.stringContaining("The run continues."),
    "",
  ]);
  expect(text).not.toContain("\u001b");
});

it("an empty log says so", () => {
  expect(runLogText("demo", [], { isLive: true })).toContain("No events yet.");
  expect(runLogText("demo", [], { isLive: false })).toContain("This run logged no events.");
});

it("messages after completed steps have the number of the last one", () => {
  const text = runLogText(
    "demo",
    [
      event({ step: 19, kind: "run-paused", message: "The run waits before step 20." }),
      event({ step: 20, kind: "run-ended", message: "The run is done after 20 steps." }),
    ],
    { isLive: false },
  );
  expect(text).toContain("step 20: The run waits before step 20.");
  expect(text).toContain("step 20: The run is done after 20 steps.");
});
