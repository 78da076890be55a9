/** The steps that an attempt played and a resume repeated. */

import { useEffect, useState } from "preact/hooks";
import type { Host } from "../../model/host.ts";

/** The mean reward of the repeated steps of an attempt, by step. */
export type SupersededRewards = {
  readonly attempt: number;
  readonly rewards: ReadonlyMap<number, number>;
} | null;

/** Asks for the repeated steps of an attempt; null until the answer is there. */
export function useSuperseded(host: Host, attempt: number | null): SupersededRewards {
  const [superseded, set] = useState<SupersededRewards>(null);
  useEffect(() => {
    set(null);
    if (attempt === null) return;
    const names = ["rollout/reward/mean"];
    return host.ask({ ask: "superseded", attempt, names }, (answer) => {
      if (answer.kind !== "superseded") return;
      const values = answer.columns[0]?.values ?? new Float64Array();
      const rewards = new Map(
        Array.from(answer.steps, (step, row) => [step, values[row] ?? Number.NaN]),
      );
      set({ attempt, rewards });
    });
  }, [host, attempt]);
  return superseded;
}
