/** Rollouts to upload, with only the interesting fields named. */

import type { describeRollout } from "../../../src/core/tracking/openreward/describeRollout.ts";
import type { RolloutUpload } from "../../../src/core/tracking/openreward/uploadEvents.ts";
import { sha256 } from "../../../src/node/hash.ts";
import { aConfig } from "../training/builders.ts";

export function uploadSettings(config = aConfig()): Parameters<typeof describeRollout>[2] {
  return { sha256, runId: "run-id", runName: "run", config, framework: ["tinker-rl", "1"] };
}

export function anUpload(changes: Partial<RolloutUpload> = {}): RolloutUpload {
  const id = changes.id ?? "id";
  return {
    id,
    messageId: (index) => `${id}/${index}`,
    runName: "run",
    rolloutName: "name",
    environment: "Owner/Game",
    split: "train",
    metadata: { step: 0 },
    runInfo: { model_name: "m" },
    rolloutInfo: { task_index: 3 },
    startedAtMs: 1,
    endedAtMs: 2,
    messages: Array.from({ length: 250 }, (_, index) => ({
      type: "user_message",
      content: `message ${index}`,
      timestampMs: 1,
    })),
    ...changes,
  };
}
