/** Moves through the steps and evaluations that have rollouts. */

import * as l10n from "@vscode/l10n";
import { formatReward } from "../../src/shared/format.ts";
import { type RolloutSet, setName } from "../../src/shared/rolloutSet.ts";
import { decidingPointOf } from "../../src/shared/trendPoint.ts";
import type { DashboardModel, DashboardProps } from "../model/dashboardModel.ts";
import { stepBy } from "../model/keys.ts";
import { strings } from "../strings/strings.ts";
import { Button, IconButton } from "./button.tsx";
import { Select } from "./choice.tsx";
import { setTitle } from "./setTitle.ts";

const text = strings.trajectories;
/** A longer menu would be unusable; the buttons reach the rest. */
const MAX_LISTED = 400;

export function StepNavigator({ dashboard }: DashboardProps) {
  const sets = dashboard.selection.sets.value;
  const chosen = dashboard.selection.chosen.value;
  const latest = sets.find(({ source }) => source === "training");
  if (chosen === null) return null;
  const at = sets.findIndex((set) => setName(set) === setName(chosen));
  const isFollowing = dashboard.view.value.rolloutSet === null;
  const shown = (sets.length > MAX_LISTED ? nearby(sets, at) : sets).toReversed();
  const listed = new Map(shown.map((set) => [setName(set), set]));
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
        <Select
          value={setName(chosen)}
          values={[...listed.keys()]}
          name={(name) => titleOf(dashboard, listed.get(name) ?? chosen)}
          choose={(name) =>
            dashboard.update({ rolloutSet: listed.get(name) ?? chosen, rollout: null })
          }
        />
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
        label={l10n.t("Follow latest")}
        aria-pressed={isFollowing}
        onClick={() =>
          dashboard.update({ rolloutSet: isFollowing ? (latest ?? null) : null, rollout: null })
        }
      />
    </div>
  );
}

function titleOf(dashboard: DashboardModel, set: RolloutSet): string {
  const rewardOf = set.source === "training" ? trainingReward : evaluationReward;
  const reward = rewardOf(dashboard, set.step);
  return reward === null ? setTitle(set) : `${setTitle(set)}  (${formatReward(reward)})`;
}

function trainingReward(
  { data: { columns, columnsVersion } }: DashboardModel,
  step: number,
): number | null {
  if (columnsVersion.value < 0) return null;
  const row = columns.steps().indexOf(step);
  return decidingPointOf(step, (name) => columns.at(name, row))?.value ?? null;
}

/** Null if the evaluation has several results, whose mean would be meaningless. */
function evaluationReward({ data: { evaluations } }: DashboardModel, step: number): number | null {
  const results = evaluations.value.findLast((entry) => entry.step === step)?.results ?? [];
  return results.length === 1 ? (results[0]?.rewardMean ?? null) : null;
}

function nearby(sets: readonly RolloutSet[], at: number): readonly RolloutSet[] {
  const start = Math.max(0, Math.min(at - MAX_LISTED / 2, sets.length - MAX_LISTED));
  return sets.slice(start, start + MAX_LISTED);
}
