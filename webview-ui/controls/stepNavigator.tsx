/** Goes through the steps and evaluations that have rollouts. */

import * as l10n from "@vscode/l10n";
import { formatReward } from "../../src/shared/format.ts";
import { type RolloutSet, setName } from "../../src/shared/rolloutSet.ts";
import type { DashboardModel, DashboardProps } from "../model/dashboardModel.ts";
import { stepBy } from "../model/keys.ts";
import { strings } from "../strings/strings.ts";
import { Button, IconButton } from "./button.tsx";
import { setTitle } from "./setTitle.ts";

const text = strings.trajectories;
/** More entries make a menu that no one can use; the buttons lead to the others. */
const MAX_LISTED = 400;

export function StepNavigator({ dashboard }: DashboardProps) {
  const sets = dashboard.selection.sets.value;
  const chosen = dashboard.selection.chosen.value;
  const latest = sets.find(({ source }) => source === "training");
  if (chosen === null) return null;
  const at = sets.findIndex((set) => setName(set) === setName(chosen));
  const isFollowing = dashboard.view.value.rolloutSet === null;
  const listed = (sets.length > MAX_LISTED ? nearby(sets, at) : sets).toReversed();
  const choose = (name: string): void => {
    const set = listed.find((own) => setName(own) === name);
    if (set !== undefined) dashboard.update({ rolloutSet: set, rollout: null });
  };
  return (
    <div class="step-navigator wrap">
      <IconButton
        icon="chevronLeft"
        label={text.previousStep}
        hint={`${text.previousStep} {`}
        disabled={at >= sets.length - 1}
        onClick={() => stepBy(dashboard, -1)}
      />
      <label class="field">
        <span class="visually-hidden">{l10n.t("Step")}</span>
        <select
          value={setName(chosen)}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          {listed.map((own) => (
            <option key={setName(own)} value={setName(own)}>
              {`${setTitle(own)}${rewardOf(dashboard, own)}`}
            </option>
          ))}
        </select>
      </label>
      <IconButton
        icon="chevronRight"
        label={text.nextStep}
        hint={`${text.nextStep} }`}
        disabled={at <= 0}
        onClick={() => stepBy(dashboard, 1)}
      />
      <Button
        class="toggle"
        label={l10n.t("Latest")}
        aria-pressed={isFollowing}
        onClick={() =>
          dashboard.update({ rolloutSet: isFollowing ? (latest ?? null) : null, rollout: null })
        }
      />
    </div>
  );
}

function rewardOf(dashboard: DashboardModel, { source, step }: RolloutSet): string {
  const reward =
    source === "training" ? trainingReward(dashboard, step) : evaluationReward(dashboard, step);
  return reward === null ? "" : `  (${formatReward(reward)})`;
}

function trainingReward(
  { data: { columns, columnsVersion } }: DashboardModel,
  step: number,
): number | null {
  if (columnsVersion.value < 0) return null;
  return columns.at("rollout/reward/mean", columns.steps().indexOf(step));
}

/** Null where the evaluation has several results: no mean of them means anything. */
function evaluationReward({ data: { evaluations } }: DashboardModel, step: number): number | null {
  const results = evaluations.value.findLast((entry) => entry.step === step)?.results ?? [];
  return results.length === 1 ? (results[0]?.rewardMean ?? null) : null;
}

function nearby(sets: readonly RolloutSet[], at: number): readonly RolloutSet[] {
  const start = Math.max(0, Math.min(at - MAX_LISTED / 2, sets.length - MAX_LISTED));
  return sets.slice(start, start + MAX_LISTED);
}
