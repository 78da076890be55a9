// @vitest-environment happy-dom

import { h } from "preact";
import { expect, it } from "vitest";
import type { RolloutRow } from "../../../../src/shared/dashboardTypes.ts";
import { BesidePicker } from "../../../../webview-ui/views/replay/besideReplay.tsx";
import { aDashboard } from "../../dashboards.ts";
import { drawn } from "../../drawn.ts";

it("the worst rollout of a group is shown next to the best, with its name", () => {
  const group = [0, 1, 0.5].map((reward, rollout) => ({ rollout, reward })) as RolloutRow[]; // only the members it reads
  const { dashboard } = aDashboard();
  dashboard.update({ beside: "best" });
  const shownFor = (rollout: number): string | undefined => {
    const rolloutKey = { source: "training", step: 0, group: 0, rollout } as const;
    const { place } = drawn(h(BesidePicker, { dashboard, rolloutKey, group }));
    return place.querySelector("select")?.selectedOptions[0]?.text;
  };
  expect([0, 1, 2].map(shownFor)).toEqual([
    "best of the group",
    "worst of the group",
    "best of the group",
  ]);
});
