/** The groups whose rollouts end alike. */

import { formatReward } from "../../src/shared/format.ts";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { changesStrings as text } from "../strings/changes.ts";
import { visibleLine } from "../text/visible.ts";
import type { Changes } from "./changesModel.ts";

interface EndingsProps {
  readonly dashboard: DashboardModel;
  readonly changes: Changes | null;
}

export function Endings({ dashboard, changes }: EndingsProps) {
  if (changes === null || !changes.isComplete || changes.error !== null) return null;
  const { endings } = changes;
  const [first] = endings;
  return (
    <section aria-labelledby="alike-endings">
      <h2 id="alike-endings">{text.endings}</h2>
      <p class="fact">{first === undefined ? text.noEndings : text.endingsHint(first.step + 1)}</p>
      <ul class="endings">
        {endings.map(({ step, group, rollouts, size, taskKey, rewardMean, text: ending }) => (
          <li key={`${group}/${rollouts.join()}`}>
            <button
              type="button"
              class="snippet"
              onClick={() =>
                dashboard.openRollouts(
                  { source: "training", step },
                  { group, rollout: rollouts[0] ?? 0 },
                )
              }
            >
              <span class="example-head">
                {text.group(group + 1)}
                <span class="count">{text.alike(rollouts.length, size)}</span>
                <span class="reward-chip">{formatReward(rewardMean)}</span>
                <span class="fact">{visibleLine(taskKey)}</span>
              </span>
              <span class="snippet-text">{visibleLine(ending)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
