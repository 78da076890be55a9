// @vitest-environment happy-dom

import { h } from "preact";
import { expect, it } from "vitest";
import type { EvaluationView } from "../../../src/shared/dashboardTypes.ts";
import { EvaluationCard } from "../../../webview-ui/views/evaluations.tsx";
import { aDashboard } from "../dashboards.ts";
import { drawn } from "../drawn.ts";

function anEvaluation(
  step: number,
  rewardMean: number,
  difference?: EvaluationView["results"][number]["difference"],
): EvaluationView {
  const cell = { environment: "local/calculator", split: "test", temperature: 1 };
  const counts = { rollouts: 16, failed: 0 };
  const interval = { low: rewardMean - 0.1, high: rewardMean + 0.1 };
  const result = { ...cell, ...counts, ...interval, rewardMean, passAtK: [], difference };
  return { step, results: [result] };
}

it("shows the change from the first evaluation with its interval in the cell", () => {
  const { dashboard, know } = aDashboard();
  const change = { mean: 0.59, low: 0.41, high: 0.74 };
  know(
    { id: "run", attempt: 1, trainedAt: {} },
    { evaluations: [anEvaluation(0, 0.15), anEvaluation(20, 0.74, change)] },
  );
  const { place } = drawn(h(EvaluationCard, { dashboard }));
  const rows = [...place.querySelectorAll(".pivot tbody tr")].map((row) =>
    row.textContent.replaceAll("\u00a0", " "),
  );
  expect(rows[0]).not.toContain(" vs ");
  expect(rows[1]).toContain("+0.59 [+0.41, +0.74] vs step 0");
});
