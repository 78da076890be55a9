import { signal } from "@preact/signals";
import { expect, it } from "vitest";
import { createEventLog } from "../../src/core/runFolder/events.ts";
import { RunFollower } from "../../src/core/runFolder/follower.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { gatherFacts } from "../../src/host/dashboard/runFacts.ts";
import type { EventView } from "../../src/shared/dashboardTypes.ts";
import { firstViewState } from "../../webview-ui/model/viewState.ts";
import {
  type RewardChartSource,
  rewardChartData,
} from "../../webview-ui/views/charts/rewardChartData.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";
import { FakeClock } from "../fakes/fakeClock.ts";
import { aRunStore } from "../webview/runStores.ts";

function event(kind: string, step: number | null): EventView {
  return { kind, step, timeMs: 1_000, attempt: 1, level: "info", message: "" };
}

function aSource(events: readonly EventView[]): RewardChartSource {
  const steps = Array.from({ length: 10 }, (_, step) => step);
  const data = aRunStore({ "rollout/reward/mean": steps }, { events });
  return { data, view: signal(firstViewState(0)) };
}

it("other settings and pauses, also of an environment that is full, are marked where they took effect", () => {
  const { marks } = rewardChartData(
    aSource([
      event("run-started", 0),
      event("run-paused", 3),
      event("run-continued", 3),
      event("settings-changed", 3),
      event("capacity-paused", 6),
      event("settings-changed", null),
    ]),
    null,
  );
  expect(marks).toEqual([
    { kind: "settings", x: 3 },
    { kind: "pause", x: 3 },
    { kind: "pause", x: 6 },
  ]);
});

it("they are sent to the page however much has happened since", async () => {
  const fileSystem = createMemoryFileSystem();
  const folder = "/runs/long";
  const clock = new FakeClock();
  const files = fileSystem.within(folder);
  const log = createEventLog({
    fileSystem: files,
    clock,
    folder,
    attempt: 1,
    redactor: new Redactor(),
  });
  const facts = { level: "info", message: "", data: {} } as const;
  const kinds = ["settings-changed", "run-paused", "capacity-paused"];
  for (const kind of kinds) await log.record({ ...facts, kind, step: 3 });
  for (let step = 4; step < 500; step += 1) {
    await log.record({ ...facts, kind: "checkpoint-saved", step });
  }
  const follower = new RunFollower({ fileSystem, folder });
  await follower.refresh();
  const { events } = await gatherFacts({
    id: "long",
    name: "long",
    follower,
    fileSystem,
    liveness: { nowMs: clock.now(), isProcessAlive: () => false },
    evaluated: null,
    maxSteps: null,
    shortenPath: (path) => path,
  });
  expect(events.length).toBeLessThan(496);
  expect(events.slice(0, 3).map(({ kind }) => kind)).toEqual(kinds);
});
