/** Goes through the steps that have rollouts. */

import { formatReward } from "../../src/shared/format.ts";
import { Icon } from "../controls/icon.tsx";
import { stepBy } from "../keys.ts";
import type { PanelModel } from "../panelModel.ts";
import { strings } from "../strings.ts";

const text = strings.trajectories;
/** More entries make a menu that nobody can use; the field takes any number. */
const MAX_LISTED = 400;

export function StepNavigator({ panel }: { readonly panel: PanelModel }) {
  const steps = panel.rolloutSteps.value;
  const step = panel.step.value;
  const last = steps.at(-1);
  if (step === null || last === undefined) return null;
  const at = steps.indexOf(step);
  const isFollowing = panel.view.value.step === null;
  const listed = steps.length > MAX_LISTED ? nearby(steps, at) : steps;
  return (
    <div class="step-navigator">
      <button
        type="button"
        class="quiet only-icon"
        aria-label={text.previousStep}
        title={`${text.previousStep} {`}
        disabled={at <= 0}
        onClick={() => stepBy(panel, -1)}
      >
        <Icon name="chevronLeft" />
      </button>
      <label class="field">
        <span>{text.step}</span>
        <select
          value={step}
          onChange={({ currentTarget }) =>
            panel.update({ step: Number(currentTarget.value), rollout: null })
          }
        >
          {listed.map((own) => (
            <option key={own} value={own}>
              {`${own + 1}${rewardOf(panel, own)}`}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        class="quiet only-icon"
        aria-label={text.nextStep}
        title={`${text.nextStep} }`}
        disabled={at >= steps.length - 1}
        onClick={() => stepBy(panel, 1)}
      >
        <Icon name="chevronRight" />
      </button>
      <button
        type="button"
        class="toggle"
        aria-pressed={isFollowing}
        onClick={() => panel.update({ step: isFollowing ? last : null, rollout: null })}
      >
        {text.latest}
      </button>
    </div>
  );
}

function rewardOf({ columns, columnsVersion }: PanelModel, step: number): string {
  if (columnsVersion.value < 0) return "";
  const reward = columns.at("rollout/reward/mean", columns.steps().indexOf(step));
  return reward === null ? "" : `  (${formatReward(reward)})`;
}

function nearby(steps: readonly number[], at: number): readonly number[] {
  const start = Math.max(0, Math.min(at - MAX_LISTED / 2, steps.length - MAX_LISTED));
  return steps.slice(start, start + MAX_LISTED);
}
