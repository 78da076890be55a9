/** A run whose environment and model write text that could act on the viewer, stored by the product's own writers. */

import { renameSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { appendMetrics, buildMetricsRow } from "../../src/core/runFolder/metrics/metrics.ts";
import type { RolloutRecord } from "../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { createRolloutStore } from "../../src/core/runFolder/rollouts/rolloutStore.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { aRecord, aRecordedTurn, rolloutFacts, stepFacts } from "../core/runFolder/builders.ts";
import { startedRun } from "../fakes/startedRun.ts";

/** Each part has an effect if it is not shown as text. */
export const HOSTILE = {
  script: `<script>globalThis.owned=1</script><img src="x" onerror="globalThis.owned=2">`,
  markdown: "[go](command:workbench.action.quit) ![i](https://example.test/i.png) $(flame)",
  bidi: "safe \u202Eneddih\u202C \u2066isolated\u2069",
  ansi: "\u001b[31mred\u001b[0m\u001b]8;;https://example.test\u0007link\u001b]8;;\u0007",
  huge: `${"long ".repeat(40_000)}END`,
} as const;

const ALL = Object.values(HOSTILE).join("\n");
/** Names are shown in rows of trees and tables. */
const HOSTILE_NAME = `evil\u202E/${HOSTILE.script}\n${HOSTILE.ansi}$(flame)`;

/** A valid folder name that appears in a notification: the run is interrupted. */
const HOSTILE_FOLDER = "[go](command:workbench.action.quit)\u202E$(flame)";
/** No process has this id. */
const NOBODY = 999_999_999;

/** One step with two groups of two rollouts: the first rollout is hostile, the second failed with a hostile message. */
export async function writeHostileRun(parent: string): Promise<void> {
  const fileSystem = createFileSystem();
  const redactor = new Redactor();
  const lease = await startedRun(fileSystem, parent, {
    name: "hostile",
    pid: NOBODY,
    host: hostname(),
  });
  const { folder, files } = lease;
  const store = createRolloutStore({ fileSystem: files, redactor, folder });
  const key = { step: 0, environment: HOSTILE_NAME, split: HOSTILE.bidi, taskKey: HOSTILE_NAME };
  for (const group of [0, 1]) {
    await store.addRollout(hostileRecord({ ...key, group, rollout: 0 }));
    await store.addRollout(
      aRecord({ ...key, group, rollout: 1, reward: null, stop: "error", error: ALL }),
    );
  }
  await store.addScores(
    0,
    [0, 1].flatMap((group) => [
      { group, rollout: 0, advantage: 0.5, trainingUse: "trained" as const },
      { group, rollout: 1, advantage: null, trainingUse: "excluded:failed" as const },
    ]),
  );
  const rollouts = [rolloutFacts({ environment: HOSTILE_NAME })];
  const facts = stepFacts({ step: 0, rollouts, environments: [HOSTILE_NAME] });
  await appendMetrics(files, folder, buildMetricsRow(facts));
  await lease.update({ phase: "running" });
  await fileSystem.close();
  renameSync(folder, join(parent, HOSTILE_FOLDER));
}

function hostileRecord(changes: Partial<RolloutRecord>): RolloutRecord {
  const call = { name: HOSTILE_NAME, args: JSON.stringify({ [HOSTILE.bidi]: ALL }), raw: ALL };
  const result = { name: HOSTILE_NAME, text: ALL, isError: false, reward: 1, finished: true };
  return aRecord({
    ...changes,
    systemText: ALL,
    promptText: ALL,
    turns: [
      aRecordedTurn({
        sampledText: ALL,
        reasoning: ALL,
        content: ALL,
        nudge: ALL,
        stopReason: HOSTILE.ansi,
        calls: [call],
        errors: [{ kind: "json", raw: ALL, message: ALL }],
        results: [result],
      }),
    ],
  });
}
