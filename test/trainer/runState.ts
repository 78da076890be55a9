/** The saved state for a resume, for tests. */

import type { RunState } from "../../src/core/runFolder/state.ts";
import { NO_RUN_USAGE } from "../../src/core/usage/tokenUsage.ts";

/** Saved after `step` completed steps. */
export function aRunState(step: number, changes: Partial<RunState> = {}): RunState {
  return {
    schema_version: 3,
    run_ids: { local: "a", wandb: null },
    step,
    optimizer_updates: step,
    dataset: { fingerprint: "f", cursor: 0 },
    pending: [],
    samplers: [],
    counters: {
      tokens: NO_RUN_USAGE,
      seconds: 0,
      consecutive_empty_steps: 0,
    },
    last_checkpoint: {
      step,
      state_path: "tinker://a/weights/b",
      sampler_path: null,
      expires_at: null,
    },
    generation: 1,
    ...changes,
  };
}
