/** The Overview tab. */

import { useScroll } from "../controls/useScroll.ts";
import type { DashboardModel, DashboardProps } from "../model/dashboardModel.ts";
import { ChartControls } from "./charts/chartControls.tsx";
import { Histogram } from "./charts/histogram.tsx";
import { RewardChart } from "./charts/rewardChart.tsx";
import { MEAN_REWARD } from "./charts/smallChartSpecs.ts";
import { EvidenceChart, LossChart, SmallCharts } from "./charts/smallCharts.tsx";
import { DemoCard } from "./demoCard.tsx";

export function Overview({ dashboard }: DashboardProps) {
  const scrolled = useScroll(dashboard, "overview");
  return (
    <div class="page stack" ref={scrolled}>
      <DemoCard dashboard={dashboard} />
      <EvidenceChart dashboard={dashboard} />
      {hasReward(dashboard) ? null : <ChartControls dashboard={dashboard} />}
      <div class="first-row">
        {hasReward(dashboard) ? <RewardChart dashboard={dashboard} /> : null}
        {hasExamples(dashboard) ? (
          <LossChart dashboard={dashboard} />
        ) : (
          <Histogram dashboard={dashboard} />
        )}
      </div>
      <SmallCharts dashboard={dashboard} />
    </div>
  );
}

function hasExamples({ data }: DashboardModel): boolean {
  return data.run.value?.examples != null;
}

/** False for supervised runs, which have a loss instead, and for imported runs without a reward. */
function hasReward(dashboard: DashboardModel): boolean {
  if (hasExamples(dashboard)) return false;
  const { data } = dashboard;
  const isForeign = data.run.value?.state === "foreign";
  return !isForeign || (data.columnsVersion.value >= 0 && data.columns.has(MEAN_REWARD));
}
