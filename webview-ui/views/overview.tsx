/** How the run goes. */

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
      <ChartControls dashboard={dashboard} />
      <div class="first-row">
        {dashboard.data.run.value?.examples != null ? (
          <LossChart dashboard={dashboard} />
        ) : (
          <>
            {hasReward(dashboard) ? <RewardChart dashboard={dashboard} /> : null}
            <Histogram dashboard={dashboard} />
          </>
        )}
      </div>
      <SmallCharts dashboard={dashboard} />
    </div>
  );
}

/** A run by another program may have other metrics only. */
function hasReward({ data }: DashboardModel): boolean {
  const isForeign = data.run.value?.state === "foreign";
  return !isForeign || (data.columnsVersion.value >= 0 && data.columns.has(MEAN_REWARD));
}
