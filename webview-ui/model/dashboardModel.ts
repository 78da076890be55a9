/** The state of the page as signals; views read it and call its methods. */

import { batch, effect, type Signal, signal } from "@preact/signals";
import type { HostMessage } from "../../src/shared/dashboardMessages.ts";
import {
  type AlarmView,
  DASHBOARD_DEFAULTS,
  type DashboardChoices,
  type DashboardSettings,
} from "../../src/shared/dashboardTypes.ts";
import type { RolloutSet } from "../../src/shared/rolloutSet.ts";
import type { SearchSnippet } from "../../src/shared/search.ts";
import { askBehavior, askChanges, type Behavior, type Changes } from "./changesModel.ts";
import type { Host } from "./host.ts";
import type { LastingQuestion } from "./lastingQuestion.ts";
import { RolloutBodies } from "./rolloutBodies.ts";
import { type RolloutSelection, selectRollouts } from "./rolloutSelection.ts";
import { type HostMessageOf, type RunData, RunSignals, type Shown } from "./runData.ts";
import { askSearch, type SearchResults } from "./searchModel.ts";
import { toggled } from "./toggled.ts";
import {
  firstViewState,
  forOtherRun,
  NO_FILTER,
  restoreViewState,
  type ShownAlarm,
  type ViewState,
} from "./viewState.ts";

/** Props of every component of the page. */
export interface DashboardProps {
  readonly dashboard: DashboardModel;
}

/** A search hit in the text of a rollout. */
export interface FoundPlace {
  /** Id of the run. */
  readonly run: string;
  /** In the form of `rolloutKeyName`. */
  readonly rollout: string;
  readonly snippet: SearchSnippet;
  /** True if the token view was open at the time; a rollout without tokens is then shown as text. */
  readonly isAmongTokens: boolean;
}

const NO_SETTINGS: DashboardSettings = {
  ...DASHBOARD_DEFAULTS,
  pinnedMetrics: [],
  hiddenCharts: [],
  savedFilters: [],
  // Until the host says otherwise, so that the card does not flash.
  isDemoCardClosed: true,
};
const MAX_ERRORS = 20;

/** The model as views use it. */
export type DashboardModel = Shown<Model>;

/** Creates the model and starts listening to the host. */
export function createDashboardModel(host: Host): DashboardModel {
  return new Model(host);
}

class Model {
  readonly host: Host;
  readonly data: RunData;
  readonly selection: RolloutSelection;
  readonly bodies: RolloutBodies;
  readonly search: LastingQuestion<SearchResults>;
  readonly behavior: LastingQuestion<Behavior>;
  readonly changes: LastingQuestion<Changes>;
  readonly view: Signal<ViewState>;
  readonly settings = signal(NO_SETTINGS);
  /** Announced by screen readers at once. */
  readonly announcement = signal("");
  /** Id of the latest run that started while another one was shown; null if none did. */
  readonly offered = signal<string | null>(null);
  /** The search hit opened last, until it is shown among the tokens. */
  readonly found = signal<FoundPlace | null>(null);
  /** Whether the host has sent a run. */
  readonly status = signal<"loading" | "empty" | "gone" | "ready">("loading");
  /** The run's former folder and the other runs; null except in status `gone`. */
  readonly gone = signal<HostMessageOf<"gone"> | null>(null);
  /** Errors that the user has not dismissed. */
  readonly errors = signal<readonly string[]>([]);
  readonly #data: RunSignals;
  /** False once a stored view exists, which the user may have changed. */
  #isFirstView: boolean;
  #shownRun: string | null;

  constructor(host: Host) {
    const stored = storedState(host.loadState());
    this.host = host;
    this.#data = new RunSignals((names) => host.requestColumns(names));
    this.data = this.#data;
    this.view = signal(restoreViewState(stored.view, firstViewState(NO_SETTINGS.smoothing)));
    this.selection = selectRollouts(host, this.data, this.view);
    this.bodies = new RolloutBodies(host);
    this.search = askSearch(host);
    this.behavior = askBehavior(host);
    this.changes = askChanges(host);
    this.#shownRun = stored.runId;
    this.#isFirstView = stored.view === null && stored.runId === null;
    effect(() => {
      if (this.status.value !== "ready") return;
      host.saveState({ runId: this.data.run.value?.id ?? null, view: this.view.value });
    });
    host.listen((message) => batch(() => this.#receive(message)));
  }

  #receive(message: HostMessage): void {
    switch (message.kind) {
      case "init":
        this.#showRun(message.facts.run.id, message.settings);
        this.#startOver(message);
        return;
      case "replace":
        this.#startOver(message);
        return;
      case "append":
        this.#data.append(message);
        return;
      case "facts":
        this.#data.update(message.facts);
        return;
      case "open":
        this.openRollouts(message, message.rollout);
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
      case "settings":
        this.settings.value = message.settings;
        return;
      case "gone":
        this.settings.value = message.settings;
        this.gone.value = message;
        this.status.value = "gone";
        return;
      case "empty":
        this.settings.value = message.settings;
        this.status.value = "empty";
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

  /** Shows the trajectories of a step or evaluation, or one of its rollouts. */
  openRollouts({ source, step }: RolloutSet, place: ViewState["rollout"] = null): void {
    this.update({
      tab: "rollouts",
      rolloutPart: "list",
      rolloutSet: { source, step },
      rollout: place === null ? null : { group: place.group, rollout: place.rollout },
      alarmFilter: null,
    });
  }

  /** Shows the alarm's metric around the step at which the alarm began. */
  showAlarmChart({ steps, ...alarm }: AlarmView): void {
    const last = alarm.step + 1;
    this.update({
      tab: "overview",
      evidence: shownAlarm(alarm),
      xAxis: "step",
      xRange: [Math.max(1, last - steps), last + steps],
    });
  }

  /** Lists the rollouts that caused the alarm, from the step at which it began. */
  showAlarmRollouts(alarm: ShownAlarm): void {
    this.openRollouts({ source: "training", step: alarm.step });
    const alarmFilter = alarm.isOfRollouts ? shownAlarm(alarm) : null;
    this.update({ alarmFilter, filter: NO_FILTER });
  }

  /** Shows or hides a chart in this workspace. */
  toggleChart({ id, isUsual }: { readonly id: string; readonly isUsual: boolean }): void {
    const { pinnedMetrics, hiddenCharts } = this.settings.peek();
    this.keep(
      isUsual
        ? { hiddenCharts: toggled(hiddenCharts, id) }
        : { pinnedMetrics: toggled(pinnedMetrics, id) },
    );
  }

  /** Stores choices for all runs of this workspace. */
  keep(change: Partial<DashboardChoices>): void {
    this.settings.value = { ...this.settings.peek(), ...change };
    this.host.keep(change);
  }

  #showRun(id: string, settings: DashboardSettings): void {
    this.settings.value = settings;
    if (this.#isFirstView) {
      this.update({ smoothing: firstViewState(settings.smoothing).smoothing });
    } else if (this.#shownRun !== id) this.view.value = forOtherRun(this.view.value);
    this.#isFirstView = false;
    this.#shownRun = id;
    this.status.value = "ready";
    this.errors.value = [];
  }

  #startOver(message: Pick<HostMessageOf<"replace">, "facts" | "names">): void {
    this.bodies.clear();
    this.behavior.clear();
    this.changes.clear();
    // The results of a completed search in all runs remain when one of them is opened.
    const isLasting = this.view.peek().search.isEveryRun;
    if (!isLasting || this.search.answer.peek()?.isComplete !== true) this.search.clear();
    this.#data.replace(message);
  }

  announce(text: string): void {
    this.announcement.value = text;
  }

  /** Sets the hit to show among the tokens; null = none. */
  lookFor(place: FoundPlace | null): void {
    this.found.value = place;
  }

  dismissErrors(): void {
    this.errors.value = [];
  }

  #addError(text: string): void {
    const others = this.errors.value.filter((other) => other !== text);
    this.errors.value = [...others, text].slice(-MAX_ERRORS);
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
