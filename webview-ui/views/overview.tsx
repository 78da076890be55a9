/** How the run goes. */

import { useScroll } from "../controls/useScroll.ts";
import type { PanelModel } from "../panelModel.ts";
import { ChartControls } from "./chartControls.tsx";
import { Evaluations } from "./evaluations.tsx";
import { Histogram } from "./histogram.tsx";
import { RewardChart } from "./rewardChart.tsx";
import { SmallCharts } from "./smallCharts.tsx";

export function Overview({ panel }: { readonly panel: PanelModel }) {
  const scrolled = useScroll(panel, "overview");
  return (
    <div class="page" ref={scrolled}>
      <ChartControls panel={panel} />
      <div class="first-row">
        <RewardChart panel={panel} />
        <Histogram panel={panel} />
      </div>
      <SmallCharts panel={panel} />
      <Evaluations panel={panel} />
    </div>
  );
}
