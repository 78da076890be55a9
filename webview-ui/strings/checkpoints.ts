/** The Checkpoints view. */

import * as l10n from "@vscode/l10n";

export const checkpointsStrings = {
  caption: l10n.t("Checkpoints of the run, newest first"),
  empty: l10n.t("No checkpoint yet"),
  emptyHint: l10n.t(
    "Save makes one now; save_every in the configuration makes them automatically.",
  ),
  name: l10n.t("Name"),
  step: l10n.t("After step"),
  kind: l10n.t("Kind"),
  reward: l10n.t("Reward"),
  bestBy: (metric: string) => l10n.t("best by {0}", metric),
  created: l10n.t("Saved"),
  expires: l10n.t("Expires"),
  holds: l10n.t("Holds"),
  never: l10n.t("never"),
  expired: l10n.t("expired"),
  inTime: (duration: string) => l10n.t("in {0}", duration),
  ago: (duration: string) => l10n.t("{0} ago", duration),
  state: l10n.t("state"),
  sampler: l10n.t("sampler"),
  actions: l10n.t("Actions"),
  actionsOf: (name: string) => l10n.t("Actions for {0}", name),
  copyState: l10n.t("Copy state path"),
  copySampler: l10n.t("Copy sampler path"),
  start: l10n.t("Start new run from it…"),
  branch: l10n.t("Branch from it…"),
  evaluate: l10n.t("Evaluate…"),
  chat: l10n.t("Chat with it…"),
  download: l10n.t("Download weights…"),
  keep: l10n.t("Keep…"),
  remove: l10n.t("Delete…"),
  expiring: (name: string, duration: string) =>
    l10n.t("{0} expires in {1}. Save again, or raise its expiry, to keep it.", name, duration),
} as const;
