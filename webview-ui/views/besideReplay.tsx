/** The same task in two evaluations, the earlier one on the left. */

import { useEffect, useId, useState } from "preact/hooks";
import type { RolloutBody, RolloutKey, RolloutRow } from "../../src/shared/dashboardTypes.ts";
import { formatReward } from "../../src/shared/format.ts";
import type { RolloutSet } from "../../src/shared/rolloutSet.ts";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { strings } from "../strings/strings.ts";
import { ReplayTurns } from "./replayTurns.tsx";
import { setTitle } from "./setTitle.ts";

const text = strings.replay;

/** The evaluation that is shown beside `set`; null for none. */
export function besideOf({ view, data }: DashboardModel, set: RolloutSet): number | null {
  const { besideEvaluation, replayMode } = view.value;
  const isShown =
    replayMode !== "tokens" && set.source === "evaluation" && besideEvaluation !== set.step;
  const isStored =
    besideEvaluation !== null && data.evaluatedSteps.value.includes(besideEvaluation);
  return isShown && isStored ? besideEvaluation : null;
}

interface PickerProps {
  readonly dashboard: DashboardModel;
  readonly set: RolloutSet;
}

/** Nothing where there is no other evaluation. */
export function BesidePicker({ dashboard, set }: PickerProps) {
  const others = dashboard.data.evaluatedSteps.value.filter((step) => step !== set.step);
  if (set.source !== "evaluation" || others.length === 0) return null;
  return (
    <label class="field">
      <span>{text.beside}</span>
      <select
        value={besideOf(dashboard, set) ?? ""}
        onChange={({ currentTarget: { value } }) =>
          dashboard.update({ besideEvaluation: value === "" ? null : Number(value) })
        }
      >
        <option value="">{text.besideNothing}</option>
        {others.map((step) => (
          <option key={step} value={step}>
            {setTitle({ source: "evaluation", step })}
          </option>
        ))}
      </select>
    </label>
  );
}

interface BesideProps {
  readonly dashboard: DashboardModel;
  readonly rolloutKey: RolloutKey;
  readonly body: RolloutBody;
  readonly row: RolloutRow | undefined;
  /** Completed steps of the other evaluation. */
  readonly beside: number;
}

export function BesideReplay({ dashboard, rolloutKey, body, row, beside }: BesideProps) {
  const [other, setOther] = useState<RolloutBody | null>(null);
  const [error, setError] = useState<string | null>(null);
  const { source, step, group, rollout } = rolloutKey;
  useEffect(() => {
    setOther(null);
    setError(null);
    const key = { source, step, group, rollout };
    return dashboard.host.ask({ ask: "counterpart", key, step: beside }, (answer) => {
      if (answer.kind === "rollout") setOther(answer.body);
      else if (answer.kind === "error") setError(answer.message);
    });
  }, [dashboard, source, step, group, rollout, beside]);
  const id = useId();
  const isMarkdown = dashboard.view.value.replayMode === "markdown";
  const sides = [
    { step, body, row, error: null },
    { step: beside, body: other, row: undefined, error },
  ].toSorted((a, b) => a.step - b.step);
  return (
    <div class="beside">
      {sides.map((side) => (
        <section key={side.step} aria-label={setTitle({ source, step: side.step })}>
          <h3 id={`${id}-${side.step}`}>
            {setTitle({ source, step: side.step })}
            {side.body === null ? null : (
              <span class="reward-chip" data-failed={side.body.reward === null}>
                {side.body.reward === null
                  ? text.failed
                  : text.reward(formatReward(side.body.reward))}
              </span>
            )}
          </h3>
          {side.error === null ? null : <p class="message">{side.error}</p>}
          {side.body === null ? null : (
            <ReplayTurns
              dashboard={dashboard}
              body={side.body}
              row={side.row}
              isMarkdown={isMarkdown}
              titleId={`${id}-${side.step}`}
            />
          )}
        </section>
      ))}
    </div>
  );
}
