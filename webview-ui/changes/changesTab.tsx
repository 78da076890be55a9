/** What changed over the steps of a run. */

import * as l10n from "@vscode/l10n";
import { useEffect, useMemo } from "preact/hooks";
import type { StepRange } from "../../src/shared/changes.ts";
import { formatCount, formatReward } from "../../src/shared/format.ts";
import { Button } from "../controls/button.tsx";
import { NumberInput } from "../controls/numberField.tsx";
import { type Changes, firstRanges } from "../model/changesModel.ts";
import type { DashboardProps } from "../model/dashboardModel.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";
import { BehaviorCharts } from "./behaviorCharts.tsx";
import { Phrases } from "./phrases.tsx";

const TYPING_MS = 400;
/** From this many steps on, the default ranges stay as they were when the tab opened; below it they grow with the run. */
const ENOUGH_STEPS = 8;

export function ChangesTab({ dashboard }: DashboardProps) {
  const steps = dashboard.data.rolloutSteps.value;
  const chosen = dashboard.view.value.changes;
  const generation = dashboard.data.generation.value;
  // Fixed when the tab opens: otherwise each new step of a live run would shift the ranges and trigger another read.
  const first = useMemo(
    () => firstRanges(steps),
    [generation, Math.min(steps.length, ENOUGH_STEPS)],
  );
  const { before = null, after = null } = { ...first, ...chosen };
  const asked = before === null || after === null ? null : JSON.stringify([before, after]);
  useEffect(
    () => dashboard.behavior.ask({ ask: "behavior" }, steps.length),
    [dashboard, generation, steps.length],
  );
  useEffect(() => {
    if (asked === null) return;
    const [from, to] = JSON.parse(asked) as readonly [StepRange, StepRange]; // written above
    const timer = setTimeout(
      () => dashboard.changes.ask({ ask: "changes", before: from, after: to }),
      TYPING_MS,
    );
    return () => clearTimeout(timer);
  }, [dashboard, generation, asked]);
  if (before === null || after === null)
    return (
      <div class="changes stack">
        <BackToList dashboard={dashboard} />
        <p class="message">
          {l10n.t("There is nothing to compare before two steps have rollouts.")}
        </p>
      </div>
    );
  const set = (change: { readonly before?: StepRange; readonly after?: StepRange }): void =>
    dashboard.update({ changes: { before, after, ...change } });
  return (
    <div class="changes stack" tabIndex={-1}>
      <BackToList dashboard={dashboard} />
      <fieldset class="change-ranges">
        <legend class="visually-hidden">{l10n.t("Steps that are compared")}</legend>
        <StepRangeFields
          label={l10n.t("Before: steps")}
          range={before}
          set={(range) => set({ before: range })}
        />
        <StepRangeFields
          label={l10n.t("After: steps")}
          range={after}
          set={(range) => set({ after: range })}
        />
      </fieldset>
      <Phrases dashboard={dashboard} changes={dashboard.changes.answer.value} />
      <Endings dashboard={dashboard} changes={dashboard.changes.answer.value} />
      <BehaviorCharts
        dashboard={dashboard}
        behavior={dashboard.behavior.answer.value}
        ranges={[before, after]}
      />
    </div>
  );
}

function BackToList({ dashboard }: DashboardProps) {
  return (
    <div class="row">
      <Button
        class="quiet"
        icon="chevronLeft"
        label={strings.replay.back}
        onClick={() => dashboard.update({ rolloutPart: "list" })}
      />
      <h2>{l10n.t("What changed")}</h2>
    </div>
  );
}

interface RangeProps {
  readonly label: string;
  readonly range: StepRange;
  readonly set: (range: StepRange) => void;
}

function StepRangeFields({ label, range, set }: RangeProps) {
  const field = (key: keyof StepRange) => (
    <NumberInput
      required
      min={1}
      step={1}
      aria-label={`${label} ${key === "from" ? l10n.t("from") : l10n.t("to")}`}
      value={range[key] + 1}
      set={(step) => {
        if (step !== null) set({ ...range, [key]: step - 1 });
      }}
    />
  );
  return (
    <span class="field step-range">
      <span>{label}</span>
      {field("from")}
      <span aria-hidden="true">–</span>
      {field("to")}
    </span>
  );
}

interface EndingsProps extends DashboardProps {
  readonly changes: Changes | null;
}

function Endings({ dashboard, changes }: EndingsProps) {
  if (changes === null || !changes.isComplete || changes.error !== null) return null;
  const { endings } = changes;
  const [first] = endings;
  return (
    <section aria-labelledby="alike-endings">
      <h2 id="alike-endings">{l10n.t("Similar endings")}</h2>
      <p class="fact">
        {first === undefined
          ? l10n.t("No group has three rollouts with similar endings.")
          : l10n.t(
              "Rollouts of one group in step {0} whose last words share at least half of their word triples.",
              formatCount(first.step + 1),
            )}
      </p>
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
              <span class="example-head wrap">
                {l10n.t("group {0}", group + 1)}
                <span class="count">
                  {l10n.t("{0} of {1}", formatCount(rollouts.length), formatCount(size))}
                </span>
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
