/** Names under which servers report metrics; each server has its own: `docs/protocols/tinker.md#metrics`. */

type Metrics = Readonly<Record<string, number>>;

const LOSS_NAMES: readonly string[] = ["loss", "total_loss", "policy_loss", "pg_loss"];

/** Names of metrics that may hold the loss, ordered so that the documented `loss:sum` comes first. */
export function lossMetrics(metrics: Metrics): readonly string[] {
  const rank = (name: string): number => LOSS_NAMES.indexOf(plainName(name)) * 2 + sumFirst(name);
  return Object.keys(metrics)
    .filter(isLoss)
    .toSorted((one, other) => rank(one) - rank(other));
}

/** The gradient norm; null if the server does not report it. */
export function gradientNorm(metrics: Metrics): number | null {
  const name = Object.keys(metrics).find(isGradientNorm);
  return name === undefined ? null : (metrics[name] ?? null);
}

export function isGradientNorm(name: string): boolean {
  return plainName(name) === "grad_norm";
}

/** True if the metric is the loss under any of its names. */
export function isLoss(name: string): boolean {
  return LOSS_NAMES.includes(plainName(name));
}

/** `skyrl.ai/grad_norm` and `grad_norm:mean` are both `grad_norm`. */
function plainName(name: string): string {
  return name.replace(/:[^:]*$/, "").replace(/^.*\//, "");
}

function sumFirst(name: string): number {
  return name.endsWith(":sum") ? 0 : 1;
}
