/** Everything the page knows and shows, as signals; views read it and call its methods. */

import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { HostMessage, RunFacts } from "../../src/shared/dashboardMessages.ts";
import type {
  CheckpointView,
  DashboardSettings,
  EvaluationView,
  EventView,
  RolloutRow,
  RunListing,
  RunView,
} from "../../src/shared/dashboardTypes.ts";
import { newestSets, type RolloutSet, setName } from "../../src/shared/rolloutSet.ts";
import { ColumnStore } from "../charts/columns.ts";
import type { Host } from "./host.ts";
import { firstViewState, forOtherRun, restoreViewState, type ViewState } from "./viewState.ts";

/** The rollouts of the chosen step or evaluation, as far as they have come. */
export interface RolloutRows extends RolloutSet {
  readonly total: number;
  readonly rows: readonly RolloutRow[];
}

export interface DashboardModel {
  readonly host: Host;
  readonly status: ReadonlySignal<"loading" | "empty" | "ready">;
  readonly run: ReadonlySignal<RunView | null>;
  readonly runs: ReadonlySignal<readonly RunListing[]>;
  readonly events: ReadonlySignal<readonly EventView[]>;
  readonly checkpoints: ReadonlySignal<readonly CheckpointView[]>;
  readonly evaluations: ReadonlySignal<readonly EvaluationView[]>;
  readonly rolloutSteps: ReadonlySignal<readonly number[]>;
  readonly evaluatedSteps: ReadonlySignal<readonly number[]>;
  readonly settings: ReadonlySignal<DashboardSettings>;
  readonly columns: ColumnStore;
  /** Changes whenever the columns do. */
  readonly columnsVersion: ReadonlySignal<number>;
  readonly view: ReadonlySignal<ViewState>;
  /** All steps and evaluations that have rollouts, newest first. */
  readonly rolloutSets: ReadonlySignal<readonly RolloutSet[]>;
  /** The chosen step or evaluation, or the latest step that has rollouts; null when nothing has. */
  readonly rolloutSet: ReadonlySignal<RolloutSet | null>;
  readonly rollouts: ReadonlySignal<RolloutRows | null>;
  /** What went wrong and was not read yet. */
  readonly errors: ReadonlySignal<readonly string[]>;
  /** What the live region says. */
  readonly spoken: Signal<string>;
  update(change: Partial<ViewState>): void;
  /** Goes to the trajectories of a step or evaluation, or of one of its rollouts. */
  openRollouts(set: RolloutSet, rollout?: ViewState["rollout"]): void;
  /** Adds a metric to those that are drawn in this workspace, or takes it out. */
  flipMetric(name: string): void;
  dismissErrors(): void;
}

const NO_SETTINGS: DashboardSettings = {
  ...{ smoothing: 0.6, hasSingleKeys: true, hasLiveRegion: true, pinnedMetrics: [] },
};

/** Begins to talk with the extension. */
export function createDashboardModel(host: Host): DashboardModel {
  const stored = storedState(host.loadState());
  const facts = factSignals();
  const status = signal<"loading" | "empty" | "ready">("loading");
  const settings = signal(NO_SETTINGS);
  const columns = new ColumnStore((names) => host.requestColumns(names));
  const columnsVersion = signal(0);
  const view = signal(restoreViewState(stored.view, firstViewState(NO_SETTINGS.smoothing)));
  const errors = signal<readonly string[]>([]);
  const rolloutSets = computed(() =>
    newestSets(facts.rolloutSteps.value, facts.evaluatedSteps.value),
  );
  const rolloutSet = computed(() => {
    const sets = rolloutSets.value;
    return view.value.rolloutSet ?? sets.find(isOfTraining) ?? sets[0] ?? null;
  });
  let shownRun = stored.runId;

  const begin = (message: Extract<HostMessage, { readonly kind: "init" }>): void => {
    settings.value = message.settings;
    const { id } = message.facts.run;
    if (stored.view === null && shownRun === null) {
      view.value = { ...view.value, ...pickSmoothing(message.settings) };
    } else if (shownRun !== id) view.value = forOtherRun(view.value);
    shownRun = id;
    status.value = "ready";
    errors.value = [];
  };

  const take = (message: HostMessage): void => {
    switch (message.kind) {
      case "init":
      case "replace":
        if (message.kind === "init") begin(message);
        takeFacts(facts, message.facts);
        columns.reset(message.names);
        columnsVersion.value += 1;
        return;
      case "append":
        columns.append(message);
        columnsVersion.value += 1;
        return;
      case "facts":
        takeFacts(facts, message.facts);
        return;
      case "open":
        openRollouts({ source: message.source, step: message.step }, message.rollout);
        return;
      case "empty":
        settings.value = message.settings;
        status.value = "empty";
        return;
      case "error":
        errors.value = [
          ...errors.value.filter((text) => text !== message.message),
          message.message,
        ].slice(-20);
        return;
      default:
        return;
    }
  };

  const rollouts = followRollouts(host, rolloutSet, facts.run);
  effect(() => {
    if (status.value === "ready") {
      host.saveState({ runId: facts.run.value?.id ?? null, view: view.value });
    }
  });
  const update = (change: Partial<ViewState>): void => {
    view.value = { ...view.peek(), ...change };
  };
  const openRollouts: DashboardModel["openRollouts"] = (chosen, rollout = null) =>
    update({ tab: "trajectories", rolloutSet: chosen, rollout });
  host.listen((message) => batch(() => take(message)));
  return {
    ...{ host, status, settings, columns, columnsVersion, view, errors, update },
    ...{ rolloutSets, rolloutSet, rollouts, openRollouts },
    ...facts,
    spoken: signal(""),
    flipMetric: (name) => {
      const { pinnedMetrics } = settings.peek();
      const isPinned = pinnedMetrics.includes(name);
      const names = isPinned
        ? pinnedMetrics.filter((other) => other !== name)
        : [...pinnedMetrics, name];
      settings.value = { ...settings.peek(), pinnedMetrics: names };
      host.pinMetrics(names);
    },
    dismissErrors: () => {
      errors.value = [];
    },
  };
}

type FactSignals = { readonly [Key in Exclude<keyof RunFacts, "run">]: Signal<RunFacts[Key]> } & {
  readonly run: Signal<RunView | null>;
};

function factSignals(): FactSignals {
  return {
    run: signal(null),
    runs: signal([]),
    events: signal([]),
    checkpoints: signal([]),
    evaluations: signal([]),
    rolloutSteps: signal([]),
    evaluatedSteps: signal([]),
  };
}

function takeFacts(signals: FactSignals, facts: Partial<RunFacts>): void {
  const { run, runs, events, checkpoints, evaluations, rolloutSteps, evaluatedSteps } = facts;
  if (run !== undefined) signals.run.value = run;
  if (runs !== undefined) signals.runs.value = runs;
  if (events !== undefined) signals.events.value = events;
  if (checkpoints !== undefined) signals.checkpoints.value = checkpoints;
  if (evaluations !== undefined) signals.evaluations.value = evaluations;
  if (rolloutSteps !== undefined) signals.rolloutSteps.value = rolloutSteps;
  if (evaluatedSteps !== undefined) signals.evaluatedSteps.value = evaluatedSteps;
}

function isOfTraining({ source }: RolloutSet): boolean {
  return source === "training";
}

/** Asks for the rollouts of the chosen step or evaluation; they come again while it grows. */
function followRollouts(
  host: Host,
  set: ReadonlySignal<RolloutSet | null>,
  run: ReadonlySignal<RunView | null>,
): ReadonlySignal<RolloutRows | null> {
  const rollouts = signal<RolloutRows | null>(null);
  const key = computed(() => (set.value === null ? null : setName(set.value)));
  const runKey = computed(() =>
    run.value === null ? null : `${run.value.id}#${run.value.attempt}`,
  );
  effect(() => {
    const name = key.value;
    const chosen = set.peek();
    if (name === null || chosen === null || runKey.value === null) {
      rollouts.value = null;
      return;
    }
    const { source, step } = chosen;
    const before = rollouts.peek();
    if (before === null || setName(before) !== name)
      rollouts.value = { source, step, total: 0, rows: [] };
    let coming: RolloutRow[] = [];
    return host.ask({ ask: "rollouts", source, step }, (answer) => {
      if (answer.kind !== "rollouts") return;
      if (answer.from === 0) coming = [];
      coming.push(...answer.rows);
      rollouts.value = { source, step, total: answer.total, rows: [...coming] };
    });
  });
  return rollouts;
}

function pickSmoothing({ smoothing }: DashboardSettings): Pick<ViewState, "smoothing"> {
  return { smoothing: firstViewState(smoothing).smoothing };
}

function storedState(value: unknown): { readonly runId: string | null; readonly view: unknown } {
  if (typeof value !== "object" || value === null) return { runId: null, view: null };
  const { runId, view } = value as { readonly runId?: unknown; readonly view?: unknown };
  return { runId: typeof runId === "string" ? runId : null, view: view ?? null };
}
