/** Chooses what the reward chart has a curve for each of. */

import { REWARD_PARTINGS } from "../../../src/shared/changes.ts";
import type { DashboardModel } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";

const text = strings.reward;
const CHOICES = ["all", ...REWARD_PARTINGS] as const;

export function RewardParting({ dashboard }: { readonly dashboard: DashboardModel }) {
  const { rewardBy } = dashboard.view.value;
  return (
    <select
      aria-label={text.by}
      title={text.by}
      value={rewardBy}
      onChange={({ currentTarget: { value } }) => {
        const chosen = CHOICES.find((choice) => choice === value);
        if (chosen !== undefined) dashboard.update({ rewardBy: chosen });
      }}
    >
      {CHOICES.map((choice) => (
        <option key={choice} value={choice}>
          {text.partings[choice]}
        </option>
      ))}
    </select>
  );
}
