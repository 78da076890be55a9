/** What the page of the runs table knows: the runs, what the person has arranged, and what follows from both. */

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { parseRunFilter, type RunFilter } from "../../src/shared/runFilter.ts";
import {
  type ComparedCell,
  MAX_COMPARED,
  type RunsHostMessage,
  type RunsPageMessage,
  type RunsTableRow,
} from "../../src/shared/runsPage.ts";
import { flipped } from "../model/flipped.ts";
import type { Shell } from "../model/shell.ts";
import { CompareModel } from "./compareModel.ts";
import { FIRST_LAYOUT, type RunsLayout, restoreLayout, withChosen } from "./layout.ts";
import { type LineageCell, lineageCells, parentsOf } from "./lineage.ts";
import { columnsFor, filterFields, type RunColumn, shownColumns } from "./runColumns.ts";
import { groupRows, type RunGroup, type TableItem, tableItems } from "./tableItems.ts";

/** The layout is kept once it has not changed for this long. */
const KEEP_MS = 150;
/** Pages that are lower have no room for the table beside a chart. */
const LOW_PX = 640;

/** A sweep with those of its runs that the page knows. */
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
  /** True once the extension has sent rows. */
  readonly isLoaded = signal(false);
  readonly unread = signal(0);
  readonly hasSingleKeys = signal(true);
  readonly error = signal<string | null>(null);
  readonly rows: ReadonlySignal<readonly RunsTableRow[]>;
  readonly columns: ReadonlySignal<readonly RunColumn[]>;
  readonly shown: ReadonlySignal<readonly RunColumn[]>;
  readonly filter: ReadonlySignal<RunFilter<RunsTableRow>>;
  /** Those that pass the filter. */
  readonly matching: ReadonlySignal<readonly RunsTableRow[]>;
  readonly items: ReadonlySignal<readonly TableItem[]>;
  /** In the order in which they were chosen, without those that no longer exist. */
  readonly chosen: ReadonlySignal<readonly RunsTableRow[]>;
  /** The first of those, as many as can be compared, behind the pinned baseline. */
  readonly compared: ReadonlySignal<readonly RunsTableRow[]>;
  /** The pinned baseline while it is compared; null = none. */
  readonly pinned: ReadonlySignal<string | null>;
  /** Those in the groups of the table; null when it has none. */
  readonly comparedGroups: ReadonlySignal<readonly RunGroup[] | null>;
  /** Those of the runs, the newest first. */
  /** The lines that join runs with those that they began with, by id. */
  readonly lineage: ReadonlySignal<ReadonlyMap<string, LineageCell>>;
  readonly sweeps: ReadonlySignal<readonly ShownSweep[]>;
  /** The one that is shown instead of the table; null = the table. */
  readonly sweep: ReadonlySignal<ShownSweep | null>;
  readonly compare: CompareModel;
  /** The metrics of all compared runs, sorted. */
  readonly metricNames: ReadonlySignal<readonly string[]>;
  /** Null until they were read. */
  readonly evaluations = signal<readonly ComparedCell[] | null>(null);

  constructor(host: RunsShell) {
    this.#host = host;
    const rows = computed(() => [...this.#rows.value.values()]);
    this.rows = rows;
    const part = <Key extends keyof RunsLayout>(key: Key): ReadonlySignal<RunsLayout[Key]> =>
      computed(() => this.#layout.value[key]);
    const [text, order, shown] = [part("filter"), part("order"), part("shown")];
    const [sorting, grouping, closed] = [part("sorting"), part("grouping"), part("closedGroups")];
    this.columns = computed(() => columnsFor(rows.value, this.#settingKeys.value));
    this.shown = computed(() =>
      shownColumns(this.columns.value, { order: order.value, shown: shown.value }),
    );
    this.filter = computed(() => parseRunFilter(text.value, filterFields(this.columns.value)));
    this.matching = computed(() => {
      const filter = this.filter.value;
      // What cannot be read yet, because it is still being written, hides nothing.
      return filter.ok ? rows.value.filter(filter.matches) : rows.value;
    });
    this.items = computed(() =>
      tableItems(this.matching.value, {
        grouping: grouping.value,
        closedGroups: closed.value,
        settingKeys: this.#settingKeys.value,
        column: this.columns.value.find(({ key }) => key === sorting.value.column),
        sorting: sorting.value,
      }),
    );
    const chosen = part("chosen");
    this.chosen = computed(() => chosen.value.flatMap((id) => this.#rows.value.get(id) ?? []));
    const baseline = part("baseline");
    this.compared = computed(() => {
      const pinned = this.chosen.value.filter(({ id }) => id === baseline.value);
      const others = this.chosen.value.filter(({ id }) => id !== baseline.value);
      return [...pinned, ...others].slice(0, MAX_COMPARED);
    });
    this.pinned = computed(
      () => this.compared.value.find(({ id }) => id === baseline.value)?.id ?? null,
    );
    this.comparedGroups = computed(() =>
      grouping.value === null
        ? null
        : groupRows(this.compared.value, grouping.value, this.#settingKeys.value),
    );
    const parents = computed(() => parentsOf(rows.value));
    this.lineage = computed(() => lineageCells(this.items.value, parents.value));
    this.sweeps = computed(() => sweepsOf(rows.value));
    const sweep = part("sweep");
    this.sweep = computed(() => this.sweeps.value.find(({ id }) => id === sweep.value) ?? null);
    this.compare = new CompareModel((ids, names) => {
      this.evaluations.value = null;
      this.send({ kind: "compare", ids, names });
    });
    this.metricNames = computed(() => {
      this.compare.named.value;
      const names = this.compared.value.flatMap(({ id }) => this.compare.of(id).names);
      return [...new Set(names)].sort();
    });
  }

  get layout(): ReadonlySignal<RunsLayout> {
    return this.#layout;
  }

  get settingKeys(): ReadonlySignal<readonly string[]> {
    return this.#settingKeys;
  }

  get runCount(): number {
    return this.#rows.value.size;
  }

  /** False in a browser. */
  get isInEditor(): boolean {
    return this.#host.isEditor;
  }

  /** Call once. */
  listen(): void {
    this.#host.listen((message) => this.#take(message));
    // A page that is hidden ends without a further word.
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

  /** Chooses the run, or no longer. */
  toggle(id: string): void {
    this.choose(flipped(this.#layout.peek().chosen, id));
  }

  /** Pins the run as the baseline, or no longer. */
  flipBaseline(id: string): void {
    this.update({ baseline: this.#layout.peek().baseline === id ? null : id });
  }

  /** Leaves the whole height to the comparison where it is little. */
  foldTableWhereLow(): void {
    const isLow = window.innerHeight < LOW_PX;
    if (isLow && !this.#layout.peek().isTableFolded) this.update({ isTableFolded: true });
  }

  /** Opens the group, or closes it. */
  flipGroup(key: string): void {
    this.update({ closedGroups: flipped(this.#layout.peek().closedGroups, key) });
  }

  /** Which look the run has in all charts; null for a run that is not compared. */
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
        if (!isSame(this.#settingKeys.peek(), message.settingKeys)) {
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
          isSame(
            message.ids,
            this.compared.peek().map(({ id }) => id),
          )
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

  #keep(): void {
    if (this.#keeping === undefined) return;
    clearTimeout(this.#keeping);
    this.#keeping = undefined;
    this.#host.postMessage({ kind: "keep", layout: JSON.stringify(this.#layout.peek()) });
  }
}

/** Props of every part of the page. */
export interface RunsProps {
  readonly runs: RunsModel;
}

function sweepsOf(rows: readonly RunsTableRow[]): readonly ShownSweep[] {
  const found = new Map<string, RunsTableRow[]>();
  for (const row of rows) {
    if (row.sweep === null || row.sweep.isStages) continue;
    const known = found.get(row.sweep.id);
    if (known === undefined) found.set(row.sweep.id, [row]);
    else known.push(row);
  }
  return [...found].map(([id, own]) => ({ id, name: own[0]?.sweep?.name ?? "", rows: own }));
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}
