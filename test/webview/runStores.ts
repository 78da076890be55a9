/** Runs as the dashboard page stores them. */

import type { RunFacts } from "../../src/shared/dashboardMessages.ts";
import { RunSignals } from "../../webview-ui/model/runData.ts";

/** A run with these metrics, one number per step from the first step on; all are as long as the first. */
export function aRunStore(
  columns: Readonly<Record<string, readonly number[]>>,
  facts: Partial<RunFacts> = {},
): RunSignals {
  const store = new RunSignals();
  const names = Object.keys(columns);
  store.update(facts);
  store.columns.reset(names);
  const rows = Object.values(columns)[0]?.length ?? 0;
  store.append({
    rows,
    names: [],
    steps: { name: "step", fromRow: 0, values: Float64Array.from({ length: rows }, (_, at) => at) },
    columns: Object.entries(columns).map(([name, values]) => {
      return { name, fromRow: 0, values: Float64Array.from(values) };
    }),
  });
  return store;
}
