/** Texts of the Timeline view. */

import * as l10n from "@vscode/l10n";
import { formatCount, formatDuration, formatPercent, plural } from "../../src/shared/format.ts";
import type { Stall, TimeKind, TimelineRow } from "../../src/shared/timeline.ts";

type StallTexts = {
  readonly [Kind in Stall["kind"]]: (stall: StallOf<Kind>, row: TimelineRow | undefined) => string;
};
type StallOf<Kind extends Stall["kind"]> = Stall & { readonly kind: Kind };

function duration(ms: number): string {
  return Math.abs(ms) < 1_000 ? `${Math.round(ms)} ms` : formatDuration(ms / 1000);
}

function ofRollouts({ rollouts, of }: { readonly rollouts: number; readonly of: number }): string {
  return plural(rollouts, "{0} of {1} rollouts", "{0} of {1} rollouts", formatCount(of));
}

const stalls: StallTexts = {
  slots: (stall) =>
    stall.limit === null
      ? l10n.t("{0} waited {1} for their turn.", ofRollouts(stall), duration(stall.medianMs))
      : l10n.t(
          "{0} waited {1} for their turn: max_active_tasks allows {2} at the same time.",
          ofRollouts(stall),
          duration(stall.medianMs),
          formatCount(stall.limit),
        ),
  places: (stall) =>
    l10n.t(
      "{0} waited {1} for a session of {2}: the environment was full. Fewer concurrent rollouts (max_active_tasks) or more capacity in the environment shorten the wait.",
      ofRollouts(stall),
      duration(stall.medianMs),
      stall.environment,
    ),
  sessions: (stall) =>
    l10n.t(
      "Sessions of {0} took {1} to open (median), {2} of their rollouts' time.",
      stall.environment,
      duration(stall.medianMs),
      formatPercent(stall.share),
    ),
  tools: (stall) =>
    l10n.t(
      "Tools of {0} took {1} per rollout (median), {2} of the rollouts' time. Faster tools, or more concurrent rollouts (max_active_tasks), shorten the step.",
      stall.environment,
      duration(stall.medianMs),
      formatPercent(stall.share),
    ),
  retries: (stall) =>
    l10n.t(
      "{0} had to start again; the longest lost {1}.",
      ofRollouts(stall),
      duration(stall.costMs),
    ),
  slowest: (stall, row) => {
    const name = row === undefined ? l10n.t("The slowest rollout") : rolloutName(row);
    const factor = stall.factor.toFixed(1);
    if (stall.toolTurns * 2 > stall.turns) {
      return l10n.t(
        "{0} took {1} × the median: {2} of its {3} turns spent more time in tools than in sampling.",
        name,
        factor,
        formatCount(stall.toolTurns),
        formatCount(stall.turns),
      );
    }
    if (stall.turns > stall.usualTurns * 1.5) {
      return l10n.t(
        "{0} took {1} × the median: it had {2} turns; {3} are usual.",
        name,
        factor,
        formatCount(stall.turns),
        formatCount(Math.round(stall.usualTurns)),
      );
    }
    return l10n.t("{0} took {1} × the median, most of it sampling.", name, factor);
  },
  tail: (stall) =>
    l10n.t(
      "For the last {0}, only {1} were still running, and the others waited for them.",
      duration(stall.costMs),
      ofRollouts(stall),
    ),
  paused: (stall) =>
    l10n.t(
      "The run was paused for {0} because its environments failed or were full.",
      duration(stall.costMs),
    ),
  prepare: (stall) =>
    l10n.t(
      "{0} passed between the last rollout and the update, {1} of the step: an evaluation, or log-probabilities of the base model.",
      duration(stall.costMs),
      formatPercent(stall.share),
    ),
  training: (stall) =>
    stall.isAhead
      ? l10n.t(
          "Training took {0}, {1} of the step, while rollouts of the next one continued.",
          duration(stall.costMs),
          formatPercent(stall.share),
        )
      : l10n.t(
          "Training took {0}, {1} of the step. With max_steps_off_policy: 1, the next rollouts run during training.",
          duration(stall.costMs),
          formatPercent(stall.share),
        ),
  save: (stall) =>
    l10n.t(
      "The sampler waited {0} for the new weights, {1} of the step.",
      duration(stall.costMs),
      formatPercent(stall.share),
    ),
  ready: () =>
    l10n.t("All rollouts had ended when the step began: training, not sampling, sets the pace."),
};

function rolloutName({ group, rollout }: TimelineRow): string {
  return l10n.t("Group {0}, rollout {1}", formatCount(group + 1), formatCount(rollout + 1));
}

const kinds: { readonly [Kind in TimeKind]: string } = {
  queue: l10n.t("queue"),
  retry: l10n.t("failed tries"),
  place: l10n.t("wait for a session"),
  session: l10n.t("open the session"),
  agent: l10n.t("the agent"),
  sampling: l10n.t("sampling"),
  tool: l10n.t("tools"),
  other: l10n.t("between turns"),
  prepare: l10n.t("before the update"),
  training: l10n.t("training"),
  save: l10n.t("save for sampling"),
  finish: l10n.t("write the step"),
};

export const timelineStrings = {
  kinds,
  rolloutName,
  duration,
  stall: (stall: Stall, row: TimelineRow | undefined): string =>
    (stalls[stall.kind] as (own: Stall, row: TimelineRow | undefined) => string)(stall, row), // each stall kind has a text
  orders: {
    group: l10n.t("by group"),
    start: l10n.t("by start"),
    end: l10n.t("by end"),
    duration: l10n.t("by duration"),
    path: l10n.t("critical path first"),
  },
} as const;
