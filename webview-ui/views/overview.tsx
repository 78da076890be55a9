/** How the run goes. */

import { useScroll } from "../controls/useScroll.ts";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { ChartControls } from "./chartControls.tsx";
import { Evaluations } from "./evaluations.tsx";
import { Histogram } from "./histogram.tsx";
import { RewardChart } from "./rewardChart.tsx";
import { SmallCharts } from "./smallCharts.tsx";

export function Overview({ dashboard }: { readonly dashboard: DashboardModel }) {
  const scrolled = useScroll(dashboard, "overview");
  return (
    <div class="page" ref={scrolled}>
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
