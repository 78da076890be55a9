/** How the run goes. */

import * as l10n from "@vscode/l10n";
import { useScroll } from "../controls/useScroll.ts";
import type { DashboardModel, DashboardProps } from "../model/dashboardModel.ts";
import { ChartControls } from "./charts/chartControls.tsx";
import { Histogram } from "./charts/histogram.tsx";
import { RewardChart } from "./charts/rewardChart.tsx";
import { MEAN_REWARD } from "./charts/smallChartSpecs.ts";
import { EvidenceChart, SmallCharts } from "./charts/smallCharts.tsx";
import { Evaluations } from "./evaluations.tsx";

export function Overview({ dashboard }: DashboardProps) {
  const scrolled = useScroll(dashboard, "overview");
  if (dashboard.data.run.value?.evaluatedModels != null) {
    return (
      <div class="page stack" ref={scrolled}>
        {dashboard.data.evaluations.value.length === 0 ? (
          <p class="no-data">
            {l10n.t(
              "No results yet. Results of a model appear when all of its rollouts have ended.",
            )}
          </p>
        ) : null}
        <Evaluations dashboard={dashboard} />
      </div>
    );
  }
  return (
    <div class="page stack" ref={scrolled}>
      <EvidenceChart dashboard={dashboard} />
      <ChartControls dashboard={dashboard} />
      <div class="first-row">
        {hasReward(dashboard) ? <RewardChart dashboard={dashboard} /> : null}
        <Histogram dashboard={dashboard} />
      </div>
      <SmallCharts dashboard={dashboard} />
      <Evaluations dashboard={dashboard} />
    </div>
  );
}

/** A run by another program may have other metrics only. */
function hasReward({ data }: DashboardModel): boolean {
  const isForeign = data.run.value?.state === "foreign";
  return !isForeign || (data.columnsVersion.value >= 0 && data.columns.has(MEAN_REWARD));
}
