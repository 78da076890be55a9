/** Data of the shown run: facts as signals, metrics as columns. */

import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { HostMessage, RunFacts } from "../../src/shared/dashboardMessages.ts";
import type {
  CheckpointView,
  EvaluationView,
  EventView,
  MarkedRollout,
  RunListing,
  RunView,
} from "../../src/shared/dashboardTypes.ts";
import { rolloutKeyName } from "../../src/shared/rolloutSet.ts";
import { ColumnStore } from "../charts/columns.ts";

export type HostMessageOf<Kind extends HostMessage["kind"]> = Extract<
  HostMessage,
  { readonly kind: Kind }
>;

/** A read-only view of a model. */
export type Shown<Model> = {
  readonly [Key in keyof Model]: Model[Key] extends Signal<infer Value>
    ? ReadonlySignal<Value>
    : Model[Key];
};

/** The data as views see it. */
export type RunData = Shown<Omit<RunSignals, "replace" | "append" | "update">>;

export class RunSignals {
  readonly run = signal<RunView | null>(null);
  /** Changes when the host sends everything from the beginning: it has then dropped all questions, and earlier answers may be of another run. */
  readonly generation = signal(0);
  readonly runs = signal<readonly RunListing[]>([]);
  readonly events = signal<readonly EventView[]>([]);
  readonly checkpoints = signal<readonly CheckpointView[]>([]);
  readonly evaluations = signal<readonly EvaluationView[]>([]);
  /** See {@link RunFacts}. */
  readonly rolloutSteps = signal<readonly number[]>([]);
  readonly evaluatedSteps = signal<readonly number[]>([]);
  /** By {@link rolloutKeyName}. */
  readonly marks = signal<ReadonlyMap<string, MarkedRollout>>(new Map());
  /** Changes whenever the columns do. */
  readonly columnsVersion = signal(0);
  readonly columns: ColumnStore;

  /** `requestColumns` receives the names of all metrics read so far. */
  constructor(requestColumns?: (names: readonly string[]) => void) {
    this.columns = new ColumnStore(requestColumns);
  }

  /** Replaces all facts and drops all numbers. */
  replace({ facts, names }: Pick<HostMessageOf<"replace">, "facts" | "names">): void {
    this.update(facts);
    this.generation.value += 1;
    this.columns.reset(names);
    this.columnsVersion.value += 1;
  }

  append(message: Pick<HostMessageOf<"append">, "rows" | "names" | "steps" | "columns">): void {
    this.columns.append(message);
    this.columnsVersion.value += 1;
  }

  update(facts: Partial<RunFacts>): void {
    const { run, runs, events, checkpoints, evaluations, rolloutSteps, evaluatedSteps, marks } =
      facts;
    if (run !== undefined) this.run.value = run;
    if (runs !== undefined) this.runs.value = runs;
    if (events !== undefined) this.events.value = events;
    if (checkpoints !== undefined) this.checkpoints.value = checkpoints;
    if (evaluations !== undefined) this.evaluations.value = evaluations;
    if (rolloutSteps !== undefined) this.rolloutSteps.value = rolloutSteps;
    if (evaluatedSteps !== undefined) this.evaluatedSteps.value = evaluatedSteps;
    if (marks !== undefined) {
      this.marks.value = new Map(marks.rollouts.map((own) => [rolloutKeyName(own), own]));
    }
  }
}
