/** The metric that an alarm judges, around the step at which the alarm began. */

import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../../controls/icon.tsx";
import type { DashboardModel } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";
import { oneMetric } from "./smallChartSpecs.ts";
import { SmallChart } from "./smallCharts.tsx";

const text = strings.alarms;

export function EvidenceChart({ dashboard }: { readonly dashboard: DashboardModel }) {
  const { evidence } = dashboard.view.value;
  const section = useRef<HTMLElement>(null);
  const name = evidence === null ? null : `${evidence.id}/${evidence.step}`;
  useEffect(() => {
    if (name === null) return;
    section.current?.scrollIntoView({ block: "nearest" });
    section.current?.focus();
  }, [name]);
  if (evidence === null) return null;
  const { title, step, metric, isOfRollouts } = evidence;
  const close = (): void => dashboard.update({ evidence: null, xRange: null });
  const label = text.evidence(title, step + 1);
  return (
    <section class="evidence" aria-label={label} tabIndex={-1} ref={section}>
      <div class="evidence-head">
        <Icon name="warning" />
        <h2>{label}</h2>
        <button type="button" class="link" onClick={() => dashboard.showAlarmRollouts(evidence)}>
          {isOfRollouts ? text.rollouts : text.stepRollouts}
        </button>
        <button
          type="button"
          class="quiet only-icon"
          aria-label={strings.close}
          title={strings.close}
          onClick={close}
        >
          <Icon name="close" />
        </button>
      </div>
      <SmallChart dashboard={dashboard} spec={oneMetric(metric, metric, "orange")} />
    </section>
  );
}
