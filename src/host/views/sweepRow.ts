/** The content of a sweep's row in the Runs view: failures and alarms, how many of its planned runs are done, the best reward, and its menu. */

import * as l10n from "@vscode/l10n";
import type { RunEntry } from "../../api/runs.ts";
import { plainLine } from "../../core/util/plainText.ts";
import { formatReward, plural } from "../../shared/format.ts";
import { phaseTexts } from "../../shared/phaseTexts.ts";
import type { RowText } from "../../shared/rowText.ts";
import { stageOf } from "../../shared/runFile.ts";
import { alarmText } from "./runRow.ts";

/** `runs` are those of one sweep, at least one; `isRunningHere` is true while this window runs it. */
export function sweepRow(runs: readonly RunEntry[], isRunningHere: boolean): RowText {
  const sweeps = runs.flatMap(({ file }) => file?.sweep ?? []);
  const label = plainLine(sweeps[0]?.name ?? "");
  // Includes runs that were not started yet.
  const planned = Math.max(runs.length, ...sweeps.map(({ combinations }) => combinations));
  const count = (phase: RunEntry["phase"]): number =>
    runs.filter((run) => run.phase === phase).length;
  const done = count("done");
  const ended = (["failed", "interrupted"] as const).filter((phase) => count(phase) > 0);
  const alarms = runs.reduce((sum, run) => sum + run.alarms.length, 0);
  const troubles = [
    ...ended.map((phase) => `${count(phase)} ${phaseTexts()[phase]}`),
    ...(alarms === 0 ? [] : [alarmText(alarms)]),
  ];
  const rewards = runs.flatMap((run) => (run.best === null ? [] : [run.best]));
  const best = rewards.length === 0 ? null : formatReward(Math.max(...rewards));
  const spoken = [
    sweeps.some((sweep) => stageOf(sweep) !== null)
      ? l10n.t("stages {0}", label)
      : l10n.t("sweep {0}", label),
    plural(planned, "{1} of {0} run done", "{1} of {0} runs done", done),
    ...troubles,
    ...(best === null ? [] : [l10n.t("best reward {0}", best)]),
  ];
  const shown = [
    // Most important first, because rows are cut off at the end.
    ...troubles,
    ...(best === null ? [] : [l10n.t("best {0}", best)]),
    l10n.t("{0}/{1} done", done, planned),
  ];
  // Another window or a terminal may run a sweep with a live run.
  const isOver = done + count("dropped") === planned || runs.some(({ isLive }) => isLive);
  const word = isRunningHere ? ["sweeping"] : isOver ? [] : ["unfinished"];
  return {
    label,
    description: shown.join(" · "),
    spoken: spoken.join(", "),
    icon: "layers",
    color: troubles.length === 0 ? null : "list.warningForeground",
    context: ["sweep", ...word].join("+"),
  };
}
