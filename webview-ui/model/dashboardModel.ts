/** Everything the page knows and shows, as signals; views read it and call its methods. */

import { batch, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { HostMessage } from "../../src/shared/dashboardMessages.ts";
import type {
  AlarmView,
  ChosenCharts,
  DashboardSettings,
  RunListing,
  SavedFilter,
} from "../../src/shared/dashboardTypes.ts";
import type { RolloutSet } from "../../src/shared/rolloutSet.ts";
import type { SearchSnippet } from "../../src/shared/search.ts";
import { flipped } from "./flipped.ts";
import type { Host } from "./host.ts";
import { RolloutBodies } from "./rolloutBodies.ts";
import { type RolloutSelection, selectRollouts } from "./rolloutSelection.ts";
import { type RunData, RunSignals } from "./runData.ts";
import type { Shown } from "./shown.ts";
import {
  firstViewState,
  forOtherRun,
  NO_FILTER,
  restoreViewState,
  type ShownAlarm,
  type ViewState,
} from "./viewState.ts";

type Status = "loading" | "empty" | "gone" | "ready";

export interface DashboardModel {
  readonly host: Host;
  /** Whether the extension has sent a run, and what went wrong. */
  readonly connection: Shown<Model["connection"]>;
  readonly settings: ReadonlySignal<DashboardSettings>;
  readonly data: RunData;
  readonly selection: RolloutSelection;
  readonly bodies: RolloutBodies;
  readonly view: ReadonlySignal<ViewState>;
  /** What screen readers announce at once. */
  readonly announcement: Signal<string>;
  /** Id of the run that began last while another one was shown; null when none did. */
  readonly offered: ReadonlySignal<string | null>;
  /** The place that was opened last, until it is shown among the tokens. */
  readonly found: Signal<FoundPlace | null>;
  update(change: Partial<ViewState>): void;
  /** Shows the trajectories of a step or evaluation, or one of its rollouts. */
  openRollouts(set: RolloutSet, rollout?: ViewState["rollout"]): void;
  /** Shows the metric that the alarm judges, around the step at which it began. */
  showAlarmChart(alarm: AlarmView): void;
  /** Lists the rollouts that made the alarm, in the step at which it began. */
  showAlarmRollouts(alarm: ShownAlarm): void;
  /** Draws a chart from now on in this workspace, or no longer. */
  toggleChart(chart: { readonly id: string; readonly isUsual: boolean }): void;
  /** Which small charts are drawn in this workspace. */
  chooseCharts(charts: ChosenCharts): void;
  /** Keeps these filters of rollouts, and no others, for all runs of this workspace. */
  keepFilters(filters: readonly SavedFilter[]): void;
  /** Removes what a run of the local demo says about itself, for all runs of this workspace. */
  closeDemoCard(): void;
}

/** Props of every part of the page. */
export interface DashboardProps {
  readonly dashboard: DashboardModel;
}

/** A place in the texts of a rollout. */
export interface FoundPlace {
  /** Id of the run. */
  readonly run: string;
  /** As `rolloutKeyName` gives it. */
  readonly rollout: string;
  readonly snippet: SearchSnippet;
  /** True when the tokens were shown as it was opened; a rollout without tokens is then shown as text. */
  readonly isAmongTokens: boolean;
}

/** A run whose folder is no longer exists. */
export interface GoneRun {
  readonly folder: string;
  readonly runs: readonly RunListing[];
}

const NO_SETTINGS: DashboardSettings = {
  smoothing: 0.6,
  hasSingleKeys: true,
  hasLiveRegion: true,
  pinnedMetrics: [],
  hiddenCharts: [],
  savedFilters: [],
  // Until the extension says otherwise, so that it does not appear for a moment.
  isDemoCardClosed: true,
};
const MAX_ERRORS = 20;

/** Begins to listen to the extension. */
export function createDashboardModel(host: Host): DashboardModel {
  const model = new Model(host);
  host.listen((message) => batch(() => model.receive(message)));
  return model;
}

class Model implements DashboardModel {
  readonly host: Host;
  readonly data: RunSignals;
  readonly selection: RolloutSelection;
  readonly bodies: RolloutBodies;
  readonly view: Signal<ViewState>;
  readonly settings = signal(NO_SETTINGS);
  readonly announcement = signal("");
  readonly offered = signal<string | null>(null);
  readonly found = signal<FoundPlace | null>(null);
  readonly connection = {
    status: signal<Status>("loading"),
    /** Where the run was, and the others; null but for the status `gone`. */
    gone: signal<GoneRun | null>(null),
    /** Errors that the user has not dismissed. */
    errors: signal<readonly string[]>([]),
    dismissErrors: (): void => {
      this.connection.errors.value = [];
    },
  };
  /** False once there is a view that a user may have changed. */
  #isFirstView: boolean;
  #shownRun: string | null;

  constructor(host: Host) {
    const stored = storedState(host.loadState());
    this.host = host;
    this.data = new RunSignals((names) => host.requestColumns(names));
    this.view = signal(restoreViewState(stored.view, firstViewState(NO_SETTINGS.smoothing)));
    this.selection = selectRollouts(host, this.data, this.view);
    this.bodies = new RolloutBodies(host);
    this.#shownRun = stored.runId;
    this.#isFirstView = stored.view === null && stored.runId === null;
    effect(() => {
      if (this.connection.status.value !== "ready") return;
      host.saveState({ runId: this.data.run.value?.id ?? null, view: this.view.value });
    });
  }

  receive(message: HostMessage): void {
    switch (message.kind) {
      case "init":
        this.#showRun(message.facts.run.id, message.settings);
        this.data.replace(message);
        return;
      case "replace":
        this.data.replace(message);
        return;
      case "append":
        this.data.append(message);
        return;
      case "facts":
        this.data.update(message.facts);
        return;
      case "open":
        this.openRollouts({ source: message.source, step: message.step }, message.rollout);
        return;
      case "open-search":
        this.update({
          tab: "rollouts",
          rolloutPart: "search",
          search: { ...this.view.peek().search, isEveryRun: true },
        });
        return;
      case "show-alarm": {
        const alarm = this.data.run.peek()?.alarms.find(({ id }) => id === message.alarm);
        if (alarm !== undefined) this.showAlarmChart(alarm);
        return;
      }
      case "offer-run":
        this.offered.value = message.run;
        return;
      case "gone":
        this.settings.value = message.settings;
        this.connection.gone.value = message;
        this.connection.status.value = "gone";
        return;
      case "empty":
        this.settings.value = message.settings;
        this.connection.status.value = "empty";
        return;
      case "error":
        this.#addError(message.message);
        return;
      default:
        return;
    }
  }

  update(change: Partial<ViewState>): void {
    this.view.value = { ...this.view.peek(), ...change };
  }

  openRollouts(rolloutSet: RolloutSet, rollout: ViewState["rollout"] = null): void {
    this.update({
      tab: "rollouts",
      rolloutPart: "list",
      rolloutSet,
      rollout,
      alarmFilter: null,
    });
  }

  showAlarmChart({ steps, ...alarm }: AlarmView): void {
    const last = alarm.step + 1;
    this.update({
      tab: "overview",
      evidence: shownAlarm(alarm),
      xAxis: "step",
      xRange: [Math.max(1, last - steps), last + steps],
    });
  }

  showAlarmRollouts(alarm: ShownAlarm): void {
    this.openRollouts({ source: "training", step: alarm.step });
    const alarmFilter = alarm.isOfRollouts ? shownAlarm(alarm) : null;
    this.update({ alarmFilter, filter: NO_FILTER });
  }

  toggleChart({ id, isUsual }: { readonly id: string; readonly isUsual: boolean }): void {
    const { pinnedMetrics, hiddenCharts } = this.settings.peek();
    this.chooseCharts(
      isUsual
        ? { pinnedMetrics, hiddenCharts: flipped(hiddenCharts, id) }
        : { pinnedMetrics: flipped(pinnedMetrics, id), hiddenCharts },
    );
  }

  chooseCharts(charts: ChosenCharts): void {
    this.settings.value = { ...this.settings.peek(), ...charts };
    this.host.chooseCharts(charts);
  }

  keepFilters(savedFilters: readonly SavedFilter[]): void {
    this.settings.value = { ...this.settings.peek(), savedFilters };
    this.host.keepFilters(savedFilters);
  }

  closeDemoCard(): void {
    this.settings.value = { ...this.settings.peek(), isDemoCardClosed: true };
    this.host.closeDemoCard();
  }

  #showRun(id: string, settings: DashboardSettings): void {
    this.settings.value = settings;
    if (this.#isFirstView) {
      this.update({ smoothing: firstViewState(settings.smoothing).smoothing });
    } else if (this.#shownRun !== id) this.view.value = forOtherRun(this.view.value);
    this.#isFirstView = false;
    this.#shownRun = id;
    this.connection.status.value = "ready";
    this.connection.errors.value = [];
  }

  #addError(text: string): void {
    const { errors } = this.connection;
    const others = errors.value.filter((other) => other !== text);
    errors.value = [...others, text].slice(-MAX_ERRORS);
  }
}

function shownAlarm({ id, title, step, metric, isOfRollouts }: ShownAlarm): ShownAlarm {
  return { id, title, step, metric, isOfRollouts };
}

function storedState(value: unknown): { readonly runId: string | null; readonly view: unknown } {
  if (typeof value !== "object" || value === null) return { runId: null, view: null };
  const { runId, view } = value as { readonly runId?: unknown; readonly view?: unknown }; // both are checked
  return { runId: typeof runId === "string" ? runId : null, view: view ?? null };
}
