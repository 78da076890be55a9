// @vitest-environment happy-dom

import { h } from "preact";
import { expect, it } from "vitest";
import { ChangesTab } from "../../../webview-ui/changes/changesTab.tsx";
import { aDashboard } from "../dashboards.ts";
import { drawn } from "../drawn.ts";

const steps = (count: number) => Array.from({ length: count }, (_, step) => step);

it("the compared steps stay the same while the run progresses", () => {
  const { dashboard, know, startOver } = aDashboard();
  know({ id: "run", attempt: 1 }, { rolloutSteps: steps(1) });
  const { place } = drawn(h(ChangesTab, { dashboard }));
  const compared = () =>
    [...place.querySelectorAll<HTMLInputElement>("input")].map(({ value }) => Number(value));
  expect(compared()).toEqual([]);
  know({ id: "run", attempt: 1 }, { rolloutSteps: steps(8) });
  expect(compared()).toEqual([1, 2, 7, 8]);
  know({ id: "run", attempt: 1 }, { rolloutSteps: steps(12) });
  expect(compared()).toEqual([1, 2, 7, 8]);
  startOver({ id: "other", attempt: 1 }, { rolloutSteps: steps(4) });
  expect(compared()).toEqual([1, 1, 4, 4]);
});
