import { signal } from "@preact/signals";
import { expect, it } from "vitest";
import type { DashboardQuestion } from "../../../src/shared/dashboardMessages.ts";
import type { RolloutRow, RunView } from "../../../src/shared/dashboardTypes.ts";
import { packRows } from "../../../src/shared/packedRows.ts";
import type { Answer, Host } from "../../../webview-ui/model/host.ts";
import { selectRollouts } from "../../../webview-ui/model/rolloutSelection.ts";
import { RunSignals } from "../../../webview-ui/model/runData.ts";
import { firstViewState } from "../../../webview-ui/model/viewState.ts";

const row = { group: 0, rollout: 0 } as unknown as RolloutRow; // nothing looks into it here

function aSelection(completedSteps: number) {
  let take: (answer: Answer) => void = () => undefined;
  const host = {
    ask: (_question: DashboardQuestion, next: typeof take) => {
      take = next;
      return () => undefined;
    },
  } as unknown as Host; // the only part that is used
  const data = new RunSignals();
  const view = signal(firstViewState(0));
  const report = (id: string, completed: number): void =>
    data.update({
      run: { id, attempt: 1, completedSteps: completed } as unknown as RunView, // only the members it reads
      rolloutSteps: Array.from({ length: completed + 1 }, (_, step) => step),
    });
  report("one", completedSteps);
  const answer = (): void =>
    take({
      kind: "rollouts",
      id: 1,
      total: 1,
      from: 0,
      rows: packRows([row]),
    });
  return { data, view, report, answer, ...selectRollouts(host, data, view) };
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
  const { rollouts, report, answer } = aSelection(4);
  answer();
  report("one", 5);
  expect(rollouts.value).toMatchObject({ step: 3, rows: [row] });
  answer();
  expect(rollouts.value).toMatchObject({ step: 4, rows: [row] });
  report("two", 6);
  expect(rollouts.value?.rows).toEqual([]);
});
