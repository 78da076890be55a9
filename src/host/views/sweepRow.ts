/** The content of a sweep's row in the Runs view: how many of its planned runs are done, the best reward, and its menu. */

import * as l10n from "@vscode/l10n";
import type { RunEntry } from "../../api/runs.ts";
import { plainLine } from "../../core/util/plainText.ts";
import { formatReward, plural } from "../../shared/format.ts";
import type { RowText } from "../../shared/rowText.ts";
import { stageOf } from "../../shared/runFile.ts";

/** `runs` are those of one sweep, at least one; `isRunningHere` is true while this window runs it. */
export function sweepRow(runs: readonly RunEntry[], isRunningHere: boolean): RowText {
  const sweeps = runs.flatMap(({ file }) => file?.sweep ?? []);
  const label = plainLine(sweeps[0]?.name ?? "");
  // Includes runs that were not started yet.
  const planned = Math.max(runs.length, ...sweeps.map(({ combinations }) => combinations));
  const done = runs.filter(({ phase }) => phase === "done").length;
  const rewards = runs.flatMap((run) => (run.best === null ? [] : [run.best]));
  const best = rewards.length === 0 ? null : formatReward(Math.max(...rewards));
  const spoken = [
    sweeps.some((sweep) => stageOf(sweep) !== null)
      ? l10n.t("stages {0}", label)
      : l10n.t("sweep {0}", label),
    plural(planned, "{1} of {0} run done", "{1} of {0} runs done", done),
    ...(best === null ? [] : [l10n.t("best reward {0}", best)]),
  ];
  const shown = [
    // Most important first, because rows are cut off at the end.
    ...(best === null ? [] : [l10n.t("best {0}", best)]),
    l10n.t("{0}/{1} done", done, planned),
  ];
  // Another window or a terminal may run a sweep with a live run.
  const isOver = done === planned || runs.some(({ isLive }) => isLive);
  const word = isRunningHere ? ["sweeping"] : isOver ? [] : ["unfinished"];
  return {
    label,
    description: shown.join(" · "),
    spoken: spoken.join(", "),
    icon: "layers",
    color: null,
    context: ["sweep", ...word].join("+"),
  };
}
