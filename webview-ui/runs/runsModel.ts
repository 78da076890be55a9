/** State of the runs page: the runs, the user's arrangement, and everything derived from both. */

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { groupBy } from "../../src/shared/groupBy.ts";
import {
  type ComparedCell,
  MAX_COMPARED,
  type RunsHostMessage,
  type RunsPageMessage,
  type RunsTableRow,
} from "../../src/shared/runsPage.ts";
import { COMPARED_AXES, hasAxis } from "../charts/xAxis.ts";
import type { Shell } from "../model/shell.ts";
import { toggled } from "../model/toggled.ts";
import { CompareModel } from "./compareModel.ts";
import { FIRST_LAYOUT, type RunsLayout, restoreLayout, withChosen } from "./layout.ts";
import { lineageCells, parentsOf } from "./lineage.ts";
import { columnsFor, filterFields, shownColumns } from "./runColumns.ts";
import { parseRunFilter } from "./runFilter.ts";
import { groupRows, tableItems } from "./tableItems.ts";

/** The layout is stored once it has not changed for this long. */
const KEEP_MS = 150;
/** Shorter pages have no room for the table and a chart. */
const LOW_PX = 640;

/** A sweep with its known runs. */
export interface ShownSweep {
  readonly id: string;
  readonly name: string;
  /** At least one. */
  readonly rows: readonly RunsTableRow[];
}

type RunsShell = Pick<
  Shell<RunsPageMessage, RunsHostMessage>,
  "isEditor" | "postMessage" | "listen"
>;

export class RunsModel {
  readonly #host: RunsShell;
  readonly #rows = signal<ReadonlyMap<string, RunsTableRow>>(new Map());
  readonly #settingKeys = signal<readonly string[]>([]);
  readonly #layout = signal<RunsLayout>(FIRST_LAYOUT);
  #keeping: ReturnType<typeof setTimeout> | undefined;
  readonly settingKeys: ReadonlySignal<readonly string[]> = this.#settingKeys;
  readonly layout: ReadonlySignal<RunsLayout> = this.#layout;
  /** True once the host has sent rows. */
  readonly isLoaded = signal(false);
  readonly unread = signal(0);
  readonly hasSingleKeys = signal(true);
  readonly error = signal<string | null>(null);
  readonly rows = computed(() => [...this.#rows.value.values()]);
  readonly columns = computed(() => columnsFor(this.rows.value, this.#settingKeys.value));
  readonly #order = this.#part("order");
  readonly #shown = this.#part("shown");
  readonly shown = computed(() =>
    shownColumns(this.columns.value, { order: this.#order.value, shown: this.#shown.value }),
  );
  readonly #filterText = this.#part("filter");
  readonly filter = computed(() =>
    parseRunFilter(this.#filterText.value, filterFields(this.columns.value, this.shown.value)),
  );
  /** Runs that pass the filter. An incomplete filter hides nothing, since it is still being typed. */
  readonly matching = computed(() => {
    const filter = this.filter.value;
    return filter.ok ? this.rows.value.filter(filter.matches) : this.rows.value;
  });
  readonly #sorting = this.#part("sorting");
  readonly #grouping = this.#part("grouping");
  readonly #closedGroups = this.#part("closedGroups");
  readonly items = computed(() =>
    tableItems(this.matching.value, {
      grouping: this.#grouping.value,
      closedGroups: this.#closedGroups.value,
      settingKeys: this.#settingKeys.value,
      column: this.columns.value.find(({ key }) => key === this.#sorting.value.column),
      sorting: this.#sorting.value,
    }),
  );
  readonly #chosen = this.#part("chosen");
  readonly #baseline = this.#part("baseline");
  /** Existing selected runs in the order of selection. */
  readonly chosen = computed(() =>
    this.#chosen.value.flatMap((id) => this.#rows.value.get(id) ?? []),
  );
  /** The compared runs: the pinned baseline first, then as many of the others as fit. */
  readonly compared = computed(() => {
    const pinned = this.chosen.value.filter(({ id }) => id === this.#baseline.value);
    const others = this.chosen.value.filter(({ id }) => id !== this.#baseline.value);
    return [...pinned, ...others].slice(0, MAX_COMPARED);
  });
  /** Id of the pinned baseline while it is compared; null = none. */
  readonly pinned = computed(
    () => this.compared.value.find(({ id }) => id === this.#baseline.value)?.id ?? null,
  );
  /** The compared runs by table group; null if the table has no groups. */
  readonly comparedGroups = computed(() =>
    this.#grouping.value === null
      ? null
      : groupRows(this.compared.value, this.#grouping.value, this.#settingKeys.value),
  );
  readonly #parents = computed(() => parentsOf(this.rows.value));
  /** The lines that connect runs with their parents, by run id. */
  readonly lineage = computed(() => lineageCells(this.items.value, this.#parents.value));
  /** Sweeps among the runs, newest first. */
  readonly sweeps = computed(() => sweepsOf(this.rows.value));
  readonly #sweep = this.#part("sweep");
  /** The sweep shown instead of the table; null = the table. */
  readonly sweep = computed(
    () => this.sweeps.value.find(({ id }) => id === this.#sweep.value) ?? null,
  );
  readonly compare = new CompareModel((ids, names) => {
    this.evaluations.value = null;
    this.send({ kind: "compare", ids, names });
  });
  /** Metrics of all compared runs, sorted. */
  readonly metricNames = computed(() => {
    this.compare.named.value;
    const names = this.compared.value.flatMap(({ id }) => this.compare.of(id).names);
    return [...new Set(names)].sort();
  });
  /** Horizontal axes that at least one compared run has recorded. */
  readonly axes = computed(() => {
    this.compare.named.value;
    const stores = this.compared.value.map(({ id }) => this.compare.of(id));
    return COMPARED_AXES.filter((axis) => stores.some((store) => hasAxis(axis, store)));
  });
  readonly #xAxis = this.#part("xAxis");
  /** The selected axis, or steps if no run has recorded it. */
  readonly xAxis = computed(() =>
    this.axes.value.includes(this.#xAxis.value) ? this.#xAxis.value : "step",
  );
  /** Null until they have arrived. */
  readonly evaluations = signal<readonly ComparedCell[] | null>(null);

  constructor(host: RunsShell) {
    this.#host = host;
  }

  get runCount(): number {
    return this.#rows.value.size;
  }

  /** False in a browser. */
  get isInEditor(): boolean {
    return this.#host.isEditor;
  }

  /** Starts listening to the host. Call once. */
  listen(): void {
    this.#host.listen((message) => this.#take(message));
    // A hidden page may be discarded without further notice.
    window.addEventListener("pagehide", () => this.#keep());
    this.#host.postMessage({ kind: "ready" });
  }

  send(message: RunsPageMessage): void {
    this.#host.postMessage(message);
  }

  update(change: Partial<RunsLayout>): void {
    this.#layout.value = { ...this.#layout.peek(), ...change };
    clearTimeout(this.#keeping);
    this.#keeping = setTimeout(() => this.#keep(), KEEP_MS);
  }

  choose(ids: readonly string[]): void {
    this.update(withChosen(this.#layout.peek(), ids));
  }

  /** Selects the run, or removes it from the selection. */
  toggle(id: string): void {
    this.choose(toggled(this.#layout.peek().chosen, id));
  }

  /** Pins the run as the baseline, or unpins it. */
  toggleBaseline(id: string): void {
    this.update({ baseline: this.#layout.peek().baseline === id ? null : id });
  }

  /** Gives a short page's full height to the comparison. */
  foldTableWhereLow(): void {
    const isLow = window.innerHeight < LOW_PX;
    if (isLow && !this.#layout.peek().isTableFolded) this.update({ isTableFolded: true });
  }

  /** Opens or closes the group. */
  toggleGroup(key: string): void {
    this.update({ closedGroups: toggled(this.#layout.peek().closedGroups, key) });
  }

  /** The run's look in all charts; null if it is not selected. */
  lookOf(id: string): number | null {
    const { chosen, looks } = this.#layout.value;
    return chosen.includes(id) ? (looks[id] ?? null) : null;
  }

  #take(message: RunsHostMessage): void {
    switch (message.kind) {
      case "init":
        this.#layout.value = restoreLayout(message.layout);
        this.hasSingleKeys.value = message.hasSingleKeys;
        return;
      case "rows": {
        const rows = new Map(this.#rows.peek());
        for (const id of message.removed) rows.delete(id);
        for (const row of message.rows) rows.set(row.id, row);
        this.#rows.value = rows;
        if (this.#settingKeys.peek().join() !== message.settingKeys.join()) {
          this.#settingKeys.value = message.settingKeys;
        }
        this.unread.value = message.unread;
        this.isLoaded.value = true;
        return;
      }
      case "columns":
        for (const run of message.runs) this.compare.take(run);
        return;
      case "evaluations":
        if (
          message.ids.join() ===
          this.compared
            .peek()
            .map(({ id }) => id)
            .join()
        ) {
          this.evaluations.value = message.cells;
        }
        return;
      case "choose":
        this.choose(message.ids);
        this.update({ sweep: null });
        this.foldTableWhereLow();
        return;
      case "show-sweep":
        this.update({ sweep: message.id });
        return;
      case "error":
        this.error.value = message.message;
    }
  }

  /** A signal that changes only with this part of the layout. */
  #part<Key extends keyof RunsLayout>(key: Key): ReadonlySignal<RunsLayout[Key]> {
    return computed(() => this.#layout.value[key]);
  }

  #keep(): void {
    if (this.#keeping === undefined) return;
    clearTimeout(this.#keeping);
    this.#keeping = undefined;
    this.#host.postMessage({ kind: "keep", layout: JSON.stringify(this.#layout.peek()) });
  }
}

/** Props of every component of the page. */
export interface RunsProps {
  readonly runs: RunsModel;
}

function sweepsOf(rows: readonly RunsTableRow[]): readonly ShownSweep[] {
  const swept = rows.filter(({ sweep }) => sweep?.isStages === false);
  return [...groupBy(swept, ({ sweep }) => sweep?.id ?? "")].map(([id, own]) => {
    return { id, name: own[0]?.sweep?.name ?? "", rows: own };
  });
}
