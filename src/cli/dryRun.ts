/** The command `train --dry_run`: prints what the first step would train on, without training. */

import * as l10n from "@vscode/l10n";
import { isSupervised } from "../core/runFolder/metrics/fitMetrics.ts";
import { groupCounts } from "../core/runFolder/metrics/groupMetrics.ts";
import { flattenMetrics } from "../core/runFolder/metrics/metricsTree.ts";
import type { RolloutSummary } from "../core/runFolder/reader.ts";
import { formatCount, formatSigned, plural } from "../shared/format.ts";
import type { DryRunRequest, RunEnd } from "../trainer/plan/types.ts";
import type { ProgramOptions, TrainerProgram } from "./arguments/programOptions.ts";
import { estimateLines } from "./estimateLines.ts";
import { type ShowContext, showContext } from "./show/showContext.ts";
import { showGroup, stepTable } from "./show/showStep.ts";
import { commandLine, shortPath } from "./terminal/invocation.ts";
import { BLANK, heading, type Line, labelled, quietLine } from "./terminal/line.ts";
import { followRun } from "./train.ts";

/** Also prints what was played if the dry run fails for lack of rewards. @throws AppError from the dry run */
export async function followDryRun(
  options: TrainerProgram,
  request: Omit<DryRunRequest, "watch" | "onPlayed">,
): Promise<RunEnd> {
  const { trainer, out } = options;
  const lines: Line[] = [];
  const onPlayed: DryRunRequest["onPlayed"] = async (folder, report) => {
    for await (const line of dryRunLines(showContext(options, folder))) lines.push(line);
    lines.push(BLANK, ...estimateLines(report, options.invocation, out.columns));
    lines.push(quietLine(l10n.t("No weights were changed.")));
  };
  try {
    const end = await followRun(
      options,
      (watch) => trainer.startDryRun({ ...request, watch, onPlayed }),
      l10n.t("stopping: nothing was trained; press Ctrl+C again to end immediately"),
    );
    out.print(lines);
    lines.length = 0;
    if (end.folder !== null) out.print(keptLines(options, end.folder));
    return end;
  } finally {
    out.print(lines);
  }
}

async function* dryRunLines(context: ShowContext): AsyncGenerator<Line, void> {
  const { reader, width } = context;
  const [step = 0] = await reader.steps();
  const list = await reader.rolloutList(step);
  const example = list.rollouts.find(isTrained) ?? list.rollouts[0];
  if (example !== undefined) {
    const wanted = { step: step + 1, group: example.group + 1, rollout: example.rollout + 1 };
    yield BLANK;
    yield* showGroup(context, { ...wanted, wantsTokens: false });
  }
  const row = (await reader.metrics()).at(-1);
  const areExamples = isSupervised(row);
  yield* [BLANK, ...stepTable(list.rollouts, step + 1, { areExamples, width })];
  if (row !== undefined) yield* [BLANK, ...trainedLines(flattenMetrics(row))];
}

function isTrained({ score }: RolloutSummary): boolean {
  return score?.trainingUse === "trained" && score.advantage !== 0;
}

/** What an update would train on; the numbers are those of the step's row. */
function trainedLines(row: ReturnType<typeof flattenMetrics>): readonly Line[] {
  const number = (name: string): number => Number(row[name] ?? 0);
  const { all, compared } = groupCounts(number);
  const count = (name: string): string => formatCount(number(name));
  const datums = plural(number("num_datums"), "{0} datum", "{0} datums");
  const prompts = number("tokens/prefill_cached") + number("tokens/prefill_uncached");
  if (row["num_examples"] !== undefined) {
    const trained = count("train/action_tokens");
    return [
      heading(l10n.t("what would be trained")),
      labelled(l10n.t("examples"), count("num_examples")),
      labelled(l10n.t("data"), l10n.t("{0} with {1} trained tokens", datums, trained)),
    ];
  }
  return [
    heading(l10n.t("what would be trained")),
    labelled(l10n.t("groups"), l10n.t("{0} of {1}", formatCount(compared), formatCount(all))),
    labelled(
      l10n.t("data"),
      l10n.t("{0} with {1} sampled tokens", datums, count("train/action_tokens")),
    ),
    ...(row["advantage/min"] == null
      ? []
      : [
          labelled(
            l10n.t("advantages"),
            l10n.t(
              "{0} to {1}",
              formatSigned(number("advantage/min"), 3),
              formatSigned(number("advantage/max"), 3),
            ),
          ),
        ]),
    labelled(
      l10n.t("tokens used"),
      l10n.t("{0} sampled, {1} in prompts", count("tokens/sampled"), formatCount(prompts)),
    ),
  ];
}

function keptLines({ invocation }: ProgramOptions, folder: string): readonly Line[] {
  const path = shortPath(folder, invocation.cwd);
  return [
    BLANK,
    labelled(l10n.t("run folder"), path),
    labelled(l10n.t("inspect it"), commandLine(invocation, "show", path, "--step", "1")),
  ];
}
