/** Output record of a single run: state, metrics, alarms, evaluations and checkpoints. */

import * as z from "zod";
import type { RunEnding } from "../../shared/runFile.ts";
import { firingAlarms } from "../alarms/alarmEvents.ts";
import { firingAfter } from "../alarms/alarmFacts.ts";
import { ALARMS } from "../alarms/alarmTable.ts";
import { editSetting, editsChange } from "../alarms/formatSettingChange.ts";
import type { FolderFiles } from "../ports.ts";
import { readCheckpoints, usableCheckpoints } from "../runFolder/checkpointLog.ts";
import { readEvaluations } from "../runFolder/evaluationLog.ts";
import { type RunEvent, readEvents } from "../runFolder/events.ts";
import { readMarks } from "../runFolder/marks.ts";
import { flattenMetrics, type MetricsRow } from "../runFolder/metrics/metricsTree.ts";
import { createRunReader } from "../runFolder/reader.ts";
import { readRunModel } from "../runFolder/runModel.ts";
import {
  type ChangedSetting,
  changedSettingText,
  readChangedSettings,
} from "../runFolder/settingEvents.ts";
import type { ListedRun } from "../runs/runList.ts";
import { checkpointFields, checkpointOfRunShape } from "./checkpointsOutput.ts";
import { evaluationFields, evaluationShape } from "./evaluationsOutput.ts";
import { count, counted, defineOutput, list, measure } from "./output.ts";
import { markShape } from "./rolloutsOutput.ts";
import { runFields, runShape } from "./runsOutput.ts";

const alarmShape = {
  alarm: z.string().describe("its key in the configuration"),
  title: z.string(),
  severity: z.enum(["info", "warning", "critical"]),
  step: count.describe("the step at which it began"),
  seen: z.string().describe("the measurement and the threshold it crossed"),
  meaning: z.string(),
  edits: list(z.string()).describe("settings to try, each as key=value"),
  takesEffect: z
    .enum(["at once", "when resumed", "in a new run"])
    .nullable()
    .describe("when the edits can take effect; null: there are none"),
};

export const runOutput = defineOutput(
  { name: "run", version: 1, command: "show RUN_FOLDER --json" },
  {
    folder: z.string().describe("absolute path of the run folder"),
    run: z.object(runShape).nullable().describe("null: the folder has no run.json"),
    model: z.string().nullable(),
    loraRank: measure,
    steps: list(
      z.object({
        step: count.describe("from 1"),
        metrics: z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])),
      }),
    ).describe("the newest steps, in order"),
    omittedSteps: count.describe("number of earlier steps, which are in metrics.jsonl"),
    alarms: list(z.object(alarmShape)).describe("firing alarms, most serious first"),
    settingChanges: list(
      z.object({
        step: count.describe("the first step with the new value"),
        key: z.string(),
        before: z.string().nullable().describe("as JSON, like after; null: a secret, or unknown"),
        after: z.string().nullable(),
        text: z.string().describe("display text"),
      }),
    ).describe("changes during training, including those of a resume"),
    evaluations: list(z.object(evaluationShape)),
    checkpoints: list(z.object(checkpointOfRunShape)).describe("usable checkpoints"),
    mark: markShape.describe("the user's marks on the run"),
  },
);

/** Keeps the JSON of a long run readable in one piece. */
const MAX_STEPS = 5_000;
const EFFECTS = { tunable: "at once", fixed: "when resumed", identity: "in a new run" } as const;

export interface RunToDescribe {
  readonly folder: string;
  /** Null for a folder without a readable `run.json`. */
  readonly run: ListedRun | null;
  readonly nowMs: number;
  /** Maximum number of steps; absent = 5,000. */
  readonly maxSteps?: number | undefined;
}

/** `files` must be those of the run folder. @throws AppError `file-unreadable` */
export async function describeRun(
  files: FolderFiles,
  { folder, run, nowMs, maxSteps = MAX_STEPS }: RunToDescribe,
): Promise<ReturnType<typeof runOutput.of>> {
  const rows = await createRunReader(files, folder).metrics();
  const model = await readRunModel(files, folder);
  const { run: mark } = await readMarks(files, folder);
  const shown = rows.slice(-maxSteps);
  return runOutput.of({
    folder,
    run: run === null ? null : runFields(run),
    model: model?.model_name ?? null,
    loraRank: model?.lora_rank ?? null,
    steps: shown.map((row) => ({ step: row.step + 1, metrics: metricsOf(row) })),
    omittedSteps: rows.length - shown.length,
    alarms: await alarmsOf(files, folder, { last: rows.at(-1), ending: run?.file?.ending }),
    settingChanges: (await readChangedSettings(files, folder)).map(changeFields),
    evaluations: (await readEvaluations(files, folder)).map(evaluationFields),
    checkpoints: usableCheckpoints(await readCheckpoints(files, folder), nowMs).map(
      checkpointFields,
    ),
    mark: { ...mark, tags: [...mark.tags] },
  });
}

function changeFields(changed: ChangedSetting) {
  const { key, step, change } = changed;
  const [before, after] =
    change === null ? [null, null] : [change.before, change.after].map((v) => JSON.stringify(v));
  return {
    step: step + 1,
    key,
    before: before ?? null,
    after: after ?? null,
    text: changedSettingText(changed),
  };
}

function metricsOf(row: MetricsRow) {
  const { step: _, ...metrics } = flattenMetrics(row);
  return metrics;
}

/** The alarms that fire after the last step. */
async function alarmsOf(
  files: FolderFiles,
  folder: string,
  {
    last,
    ending,
  }: { readonly last: MetricsRow | undefined; readonly ending: RunEnding | undefined },
) {
  const firing = last === undefined ? new Set() : firingAfter(last);
  if (firing.size === 0) return [];
  const events: RunEvent[] = [];
  for await (const event of readEvents(files, folder)) events.push(event);
  return firingAlarms((id) => firing.has(id), events, ending).map(
    ({ id, severity, step, seen, meaning, edits }) => ({
      alarm: id,
      title: ALARMS[id].title,
      severity,
      step: (counted(step) ?? 0) + 1,
      seen,
      meaning,
      edits: edits.map(editSetting),
      takesEffect: edits.length === 0 ? null : EFFECTS[editsChange(edits)],
    }),
  );
}
