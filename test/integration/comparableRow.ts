/** The part of a run's records that must be equal regardless of interruptions and timing. */

const OF_ITS_ATTEMPT: ReadonlySet<string> = new Set([
  ...["time", "throughput", "eta_s", "elapsed_s", "latency_s", "client", "event_loop_lag"],
  ...["attempt", "attempts", "capacity", "wait_for_batch_s", "queue_ready"],
  // Cache hits depend on request timing; totals include what a resume plays again.
  ...["prefill_cached", "prefill_uncached", "cumulative", "discarded", "evaluation"],
]);

/** Also differs when rollouts were replayed after a service failure: their tokens count each time. */
export const REPEATED: ReadonlySet<string> = new Set(["sampled"]);

/** A row of metrics without values that depend on the clock, the machine, or the number of failed services or restarts. */
export function comparableRow<Row>(row: Row): Row {
  return withoutKeys(row, OF_ITS_ATTEMPT);
}

/** A JSON value without these keys, at any depth. */
export function withoutKeys<Value>(value: Value, keys: ReadonlySet<string>): Value {
  const text = JSON.stringify(value, (key, part: unknown) => (keys.has(key) ? undefined : part));
  return JSON.parse(text);
}

/** For `JSON.stringify`: sorts keys, because a record that was read and written again may have another key order. */
export function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
