import { signal } from "@preact/signals";
import { expect, it } from "vitest";
import type { DashboardQuestion, RunFacts } from "../../../src/shared/dashboardMessages.ts";
import type { RolloutRow, RunView } from "../../../src/shared/dashboardTypes.ts";
import { packRows } from "../../../src/shared/packedRows.ts";
import type { Answer, Host } from "../../../webview-ui/model/host.ts";
import { selectRollouts } from "../../../webview-ui/model/rolloutSelection.ts";
import { RunSignals } from "../../../webview-ui/model/runData.ts";
import { firstViewState } from "../../../webview-ui/model/viewState.ts";

const row = { group: 0, rollout: 0 } as unknown as RolloutRow; // nothing looks into it here

function aSelection(completedSteps: number) {
  let take: (answer: Answer) => void = () => undefined;
  const asked: DashboardQuestion[] = [];
  const host = {
    ask: (question: DashboardQuestion, next: typeof take) => {
      asked.push(question);
      take = next;
      return () => undefined;
    },
  } as unknown as Host; // the only part that is used
  const data = new RunSignals();
  const view = signal(firstViewState(0));
  const facts = (completed: number) => ({
    run: { completedSteps: completed } as unknown as RunView, // only the members it reads
    rolloutSteps: Array.from({ length: completed + 1 }, (_, step) => step),
  });
  const report = (completed: number): void => data.update(facts(completed));
  const startOver = (completed: number): void =>
    data.replace({ facts: facts(completed) as unknown as RunFacts, names: [] }); // as above
  report(completedSteps);
  const answer = (): void =>
    take({
      kind: "rollouts",
      id: 1,
      total: 1,
      from: 0,
      rows: packRows([row]),
    });
  return { view, asked, report, startOver, answer, ...selectRollouts(host, data, view) };
}

it("the overview shows the latest complete step, the list of rollouts the step in progress", () => {
  const { view, chosen } = aSelection(4);
  expect(chosen.value?.step).toBe(3);
  view.value = { ...view.value, tab: "rollouts" };
  expect(chosen.value?.step).toBe(4);
});

it("the first step is shown before it is complete", () => {
  expect(aSelection(0).chosen.value?.step).toBe(0);
});

it("the rollouts of a step stay until those of the next one arrive, but not those of another run", () => {
  const { rollouts, report, startOver, answer } = aSelection(4);
  answer();
  report(5);
  expect(rollouts.value).toMatchObject({ step: 3, rows: [row] });
  answer();
  expect(rollouts.value).toMatchObject({ step: 4, rows: [row] });
  startOver(6);
  expect(rollouts.value?.rows).toEqual([]);
});

it("a chosen step is asked for again when the host starts over, even with the same run", () => {
  const { view, asked, report, startOver } = aSelection(4);
  const step = { source: "training", step: 1 } as const;
  view.value = { ...view.value, rolloutSet: step };
  report(5);
  startOver(5);
  expect(asked.slice(1)).toEqual([
    { ask: "rollouts", ...step },
    { ask: "rollouts", ...step },
  ]);
});
