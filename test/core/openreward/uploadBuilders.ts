/** Rollouts to upload, with only the interesting fields named. */

import type { RolloutUpload } from "../../../src/core/tracking/openreward/uploadEvents.ts";

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
