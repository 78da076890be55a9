/** The chosen step or evaluation and its rollouts. */

import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { RolloutRow } from "../../src/shared/dashboardTypes.ts";
import { unpackRows } from "../../src/shared/packedRows.ts";
import { newestSets, type RolloutSet, setName } from "../../src/shared/rolloutSet.ts";
import type { Host } from "./host.ts";
import type { RunData } from "./runData.ts";
import type { ViewState } from "./viewState.ts";

/** The rollouts of the chosen step or evaluation received so far. */
export interface RolloutRows extends RolloutSet {
  readonly total: number;
  readonly rows: readonly RolloutRow[];
}

export interface RolloutSelection {
  /** All steps and evaluations with rollouts, newest first. */
  readonly sets: ReadonlySignal<readonly RolloutSet[]>;
  /**
   * The chosen step or evaluation, or the latest step with rollouts; null if there are none. The overview skips an incomplete
   * step if there is a complete one, because a distribution over few rollouts says little.
   */
  readonly chosen: ReadonlySignal<RolloutSet | null>;
  readonly rollouts: ReadonlySignal<RolloutRows | null>;
}

export function selectRollouts(
  host: Host,
  { run, generation, rolloutSteps, evaluatedSteps }: RunData,
  view: ReadonlySignal<ViewState>,
): RolloutSelection {
  const sets = computed(() => newestSets(rolloutSteps.value, evaluatedSteps.value));
  const latestComplete = (): RolloutSet | null => {
    if (view.value.tab !== "overview") return null;
    const completed = run.value?.completedSteps ?? 0;
    return sets.value.find(({ source, step }) => source === "training" && step < completed) ?? null;
  };
  const chosen = computed(() => {
    if (run.value === null) return null;
    return (
      view.value.rolloutSet ??
      latestComplete() ??
      sets.value.find(({ source }) => source === "training") ??
      sets.value[0] ??
      null
    );
  });
  return { sets, chosen, rollouts: followRollouts(host, chosen, generation, view) };
}

/**
 * Requests the rollouts of the chosen step or evaluation, which are sent again while it grows. When following the latest step, the
 * previous rollouts stay until the first answer.
 */
function followRollouts(
  host: Host,
  set: ReadonlySignal<RolloutSet | null>,
  generation: ReadonlySignal<number>,
  view: ReadonlySignal<ViewState>,
): ReadonlySignal<RolloutRows | null> {
  const rollouts = signal<RolloutRows | null>(null);
  const key = computed(() => (set.value === null ? null : setName(set.value)));
  let shownGeneration: number | null = null;
  effect(() => {
    const name = key.value;
    const chosen = set.peek();
    const isFollowed = shownGeneration === generation.value && view.peek().rolloutSet === null;
    shownGeneration = generation.value;
    if (name === null || chosen === null) {
      rollouts.value = null;
      return;
    }
    const { source, step } = chosen;
    const before = rollouts.peek();
    if (before === null || (setName(before) !== name && !isFollowed))
      rollouts.value = { source, step, total: 0, rows: [] };
    let received: RolloutRow[] = [];
    return host.ask({ ask: "rollouts", source, step }, (answer) => {
      if (answer.kind !== "rollouts") return;
      if (answer.from === 0) received = [];
      received.push(...unpackRows(answer.rows));
      rollouts.value = { source, step, total: answer.total, rows: [...received] };
    });
  });
  return rollouts;
}
