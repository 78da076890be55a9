/** Which metrics are sent to the page without a request: those it always draws. */

const FIRST = [
  "rollout/reward/mean",
  "rollout/reward/std",
  "rollout/reward/min",
  "rollout/reward/max",
  "skipped",
  "progress/attempt",
  "time/total_s",
  "progress/eta_s",
  "rollout/success_frac",
  "rollout/response_tokens/mean",
  "rollout/turns/mean",
  "loss",
] as const;

/** Sorts the names: always-drawn metrics first, the rest in their original order. */
export function inDrawingOrder(names: readonly string[]): readonly string[] {
  const present = new Set(names);
  const first = FIRST.filter((name) => present.has(name));
  const isFirst: ReadonlySet<string> = new Set(first);
  return [...first, ...names.filter((name) => !isFirst.has(name))];
}

/** The names that every page draws, plus those in `wanted`. */
export function sentColumns(
  names: readonly string[],
  wanted: ReadonlySet<string>,
): readonly string[] {
  const always: ReadonlySet<string> = new Set(FIRST);
  return names.filter((name) => always.has(name) || wanted.has(name));
}
