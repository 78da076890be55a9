/** The tab that shows what changed over the steps of a run. */

import { useEffect } from "preact/hooks";
import type { StepRange } from "../../src/shared/changes.ts";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { changesStrings as text } from "../strings/changes.ts";
import { BehaviourCharts } from "./behaviourCharts.tsx";
import { changesModelOf, firstRanges } from "./changesModel.ts";
import { Endings } from "./endings.tsx";
import { Phrases } from "./phrases.tsx";
import { StepRangeFields } from "./stepRangeFields.tsx";

const TYPING_MS = 400;

export function ChangesTab({ dashboard }: { readonly dashboard: DashboardModel }) {
  const steps = dashboard.data.rolloutSteps.value;
  const chosen = dashboard.view.value.changes;
  const run = dashboard.data.run.value;
  const first = firstRanges(steps);
  const { before = null, after = null } = { ...first, ...chosen };
  const model = changesModelOf(dashboard);
  const subject = `${run?.id}#${run?.attempt}`;
  const asked = before === null || after === null ? null : JSON.stringify([before, after]);
  useEffect(
    () => model.behaviour.ask({ ask: "behaviour" }, `${subject} ${steps.length}`),
    [model, subject, steps.length],
  );
  useEffect(() => {
    if (asked === null) return;
    const [from, to] = JSON.parse(asked) as readonly [StepRange, StepRange]; // written above
    const timer = setTimeout(
      () => model.changes.ask({ ask: "changes", before: from, after: to }, subject),
      TYPING_MS,
    );
    return () => clearTimeout(timer);
  }, [model, subject, asked]);
  if (before === null || after === null) return <p class="message">{text.tooFew}</p>;
  const set = (change: { readonly before?: StepRange; readonly after?: StepRange }): void =>
    dashboard.update({ changes: { before, after, ...change } });
  return (
    <div class="changes" tabIndex={-1}>
      <fieldset class="change-ranges">
        <legend class="visually-hidden">{text.ranges}</legend>
        <StepRangeFields
          label={text.before}
          range={before}
          set={(range) => set({ before: range })}
        />
        <StepRangeFields label={text.after} range={after} set={(range) => set({ after: range })} />
      </fieldset>
      <Phrases dashboard={dashboard} changes={model.changes.answer.value} />
      <Endings dashboard={dashboard} changes={model.changes.answer.value} />
      <BehaviourCharts
        dashboard={dashboard}
        behaviour={model.behaviour.answer.value}
        ranges={[before, after]}
      />
    </div>
  );
}
