/** What of a run must be the same however often it was disturbed, and whenever it ran. */

const OF_ITS_ATTEMPT: ReadonlySet<string> = new Set([
  ...["time", "throughput", "eta_s", "elapsed_s", "latency_s", "client", "event_loop_lag"],
  ...["attempt", "attempts", "capacity", "wait_for_batch_s", "queue_ready"],
  // What the service has in its cache depends on when requests come; totals hold what a resume plays again.
  ...["prefill_cached", "prefill_uncached", "cumulative", "discarded", "evaluation"],
]);

/** Also differs where rollouts were played again after a service had failed: their tokens count each time. */
export const REPEATED: ReadonlySet<string> = new Set(["sampled"]);

/** A row of metrics without what depends on the clock, on the machine, or on how often services or starts failed. */
export function comparableRow<Row>(row: Row): Row {
  return withoutKeys(row, OF_ITS_ATTEMPT);
}

/** A value of JSON without these keys, wherever they stand. */
export function withoutKeys<Value>(value: Value, keys: ReadonlySet<string>): Value {
  const text = JSON.stringify(value, (key, part: unknown) => (keys.has(key) ? undefined : part));
  return JSON.parse(text);
}

/** For `JSON.stringify`: a record that was read and written again has its keys in another order. */
export function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
