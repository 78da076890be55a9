/** The rollouts of the same task as small bars. */

import * as l10n from "@vscode/l10n";
import type { RolloutRow } from "../../../src/shared/dashboardTypes.ts";
import { formatReward, formatSigned } from "../../../src/shared/format.ts";
import { IconButton } from "../../controls/button.tsx";
import type { DashboardProps } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";
import { goToSibling } from "./replayKeys.ts";

const text = strings.replay;

interface SiblingsProps extends DashboardProps {
  readonly siblings: readonly RolloutRow[];
  readonly rollout: number;
}

export function Siblings({ dashboard, siblings, rollout }: SiblingsProps) {
  if (siblings.length < 2) return null;
  const rewards = siblings.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const low = Math.min(0, ...rewards);
  const span = Math.max(...rewards, low + 1e-9) - low;
  const at = siblings.findIndex((row) => row.rollout === rollout);
  return (
    <nav class="siblings" aria-label={l10n.t("Rollouts of this group")}>
      <IconButton
        icon="chevronLeft"
        label={text.previousSibling}
        hint={`${text.previousSibling} [`}
        disabled={at <= 0}
        onClick={() => goToSibling(dashboard, siblings, { rollout }, -1)}
      />
      <ol>
        {siblings.map(({ group, rollout: own, reward, advantage }) => {
          const label = l10n.t(
            "Rollout {0}: reward {1}, advantage {2}",
            own + 1,
            reward === null ? text.failed : formatReward(reward),
            formatSigned(advantage),
          );
          return (
            <li key={own}>
              <button
                type="button"
                class="sibling"
                aria-label={label}
                title={label}
                aria-current={own === rollout ? "true" : undefined}
                onClick={() => dashboard.update({ rollout: { group, rollout: own } })}
              >
                {reward === null ? (
                  <span class="sibling-failed">✕</span>
                ) : (
                  <span
                    class="sibling-bar"
                    style={{ height: `${Math.max(8, ((reward - low) / span) * 100)}%` }}
                  />
                )}
              </button>
            </li>
          );
        })}
      </ol>
      <IconButton
        icon="chevronRight"
        label={text.nextSibling}
        hint={`${text.nextSibling} ]`}
        disabled={at >= siblings.length - 1}
        onClick={() => goToSibling(dashboard, siblings, { rollout }, 1)}
      />
    </nav>
  );
}
