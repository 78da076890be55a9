// @vitest-environment happy-dom

import { h } from "preact";
import { expect, it } from "vitest";
import { useAlarmRollouts } from "../../../../webview-ui/views/rollouts/useFoundRollouts.ts";
import { type ADashboard, aDashboard } from "../../dashboards.ts";
import { drawn } from "../../drawn.ts";

const ALARM = { id: "a", title: "A", step: 0, metric: "loss", isOfRollouts: true };

function Found({ dashboard, step, rollouts }: FoundProps) {
  const search = useAlarmRollouts(dashboard, { source: "training", step }, rollouts);
  return h("p", {}, search === null ? "nothing" : [...search.found].join(" "));
}

interface FoundProps extends Pick<ADashboard, "dashboard"> {
  readonly step: number;
  readonly rollouts: number;
}

it("results stay while further rollouts are searched, but not for another step", () => {
  const { dashboard, asked } = aDashboard();
  dashboard.update({ alarmFilter: ALARM });
  const of = (step: number, rollouts: number) => h(Found, { dashboard, step, rollouts });
  const find = (count: number, isComplete: boolean) =>
    asked.at(-1)?.answer({
      kind: "evidence",
      id: 1,
      found: Array.from({ length: count }, (_, group) => ({ group, rollout: 0 })),
      isComplete,
    });
  const { place, draw } = drawn(of(0, 8));
  find(2, true);
  const before = place.textContent;
  expect(before?.split(" ")).toHaveLength(2);
  draw(of(0, 16));
  expect(place.textContent).toBe(before);
  find(1, false);
  expect(place.textContent).toBe(before);
  find(3, true);
  expect(place.textContent?.split(" ")).toHaveLength(3);
  draw(of(1, 16));
  expect(place.textContent).toBe("");
});
