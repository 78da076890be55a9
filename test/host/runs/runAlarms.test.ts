import { expect, it } from "vitest";
import type { RunEntry, RunReport } from "../../../src/api/runs.ts";
import type { FiringAlarm } from "../../../src/core/alarms/alarmEvents.ts";
import { Emitter } from "../../../src/core/util/emitter.ts";
import { followAlarms } from "../../../src/host/runs/runAlarms.ts";
import type { RunList } from "../../../src/host/runs/runList.ts";
import type { FollowRun } from "../../../src/host/server/keptRequest.ts";
import { aRun } from "../runEntries.ts";

const FOLDER = "/projects/.tinker-rl/runs/demo";
const CUT: FiringAlarm = {
  id: "truncated_turns",
  severity: "warning",
  seen: "Many.",
  meaning: "Bad.",
  edits: [{ path: ["max_response_tokens"], value: 96 }],
  step: 1,
};

function setUp(isLive = true) {
  const changed = new Emitter<string | null>();
  let runs: readonly RunEntry[] = [aRun({ folder: FOLDER, isLive })];
  const store: RunList = {
    get runs() {
      return runs;
    },
    onDidChange: changed.event,
    get: () => null,
    refresh: async () => undefined,
    send: async () => "",
  };
  const reports = new Emitter<RunReport>();
  const followed = new Set<string>();
  const follow: FollowRun = (folder, onReport) => {
    followed.add(folder);
    reports.event(onReport);
    return { dispose: () => void followed.delete(folder) };
  };
  const onError = (error: unknown): never => {
    throw error;
  };
  const alarms = followAlarms({ store, follow, onError });
  const changes: string[] = [];
  alarms.onDidChange((folder) => changes.push(folder));
  return {
    alarms,
    changes,
    followed,
    report: (...firing: readonly FiringAlarm[]) =>
      reports.fire({ alarms: firing, hasSteps: true, hasEvents: false }),
    end: () => {
      runs = [aRun({ folder: FOLDER, isLive: false, phase: "stopped" })];
      changed.fire(null);
    },
  };
}

it("alarms are listed while a run is in progress, and reported when they change", () => {
  const { alarms, changes, report } = setUp();
  report();
  expect([alarms.of(FOLDER), changes]).toEqual([[], []]);
  report(CUT);
  report(CUT);
  expect([alarms.of(FOLDER), changes]).toEqual([[CUT], [FOLDER]]);
  report();
  expect([alarms.of(FOLDER), changes]).toEqual([[], [FOLDER, FOLDER]]);
});

it("alarms of a run stay listed after its end, as of its last step", () => {
  const { alarms, followed, report, end } = setUp();
  expect([...followed]).toEqual([FOLDER]);
  end();
  expect(followed.size).toBe(0);
  report(CUT);
  expect(alarms.of(FOLDER)).toEqual([CUT]);
});

it("alarms of a run that ended earlier are not kept", () => {
  const { alarms, report } = setUp(false);
  report(CUT);
  expect(alarms.of(FOLDER)).toEqual([]);
});
