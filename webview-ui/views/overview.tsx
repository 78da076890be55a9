/** How the run goes. */

import { useScroll } from "../controls/useScroll.ts";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { strings } from "../strings/strings.ts";
import { ChartControls } from "./chartControls.tsx";
import { Evaluations } from "./evaluations.tsx";
import { EvidenceChart } from "./evidenceChart.tsx";
import { Histogram } from "./histogram.tsx";
import { RewardChart } from "./rewardChart.tsx";
import { SmallCharts } from "./smallCharts.tsx";

export function Overview({ dashboard }: { readonly dashboard: DashboardModel }) {
  const scrolled = useScroll(dashboard, "overview");
  if (dashboard.data.run.value?.evaluatedModels != null) {
    return (
      <div class="page" ref={scrolled}>
        {dashboard.data.evaluations.value.length === 0 ? (
          <p class="no-data">{strings.evaluation.none}</p>
        ) : null}
        <Evaluations dashboard={dashboard} />
      </div>
    );
  }
  return (
    <div class="page" ref={scrolled}>
      <EvidenceChart dashboard={dashboard} />
      <ChartControls dashboard={dashboard} />
      <div class="first-row">
        <RewardChart dashboard={dashboard} />
        <Histogram dashboard={dashboard} />
      </div>
      <SmallCharts dashboard={dashboard} />
      <Evaluations dashboard={dashboard} />
    </div>
  );
}
