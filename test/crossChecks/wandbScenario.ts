/** Plays the kit's scenario: the official client's inputs with our client, which has one axis and keeps last values only. */

import type { ExtendedObject } from "../../src/core/tracking/wandb/run/extendedJson.ts";
import type { WandbRun, WandbRunInit } from "../../src/core/tracking/wandb/run/wandbRun.ts";
import type { Scenario, ScenarioAttempt, ScenarioStep } from "./wandbKit.ts";

/** The official client's features for summaries and hidden metrics, which no run here uses. */
export const NOT_ASKED_FOR: readonly string[] = [
  "metricsEffective.grad_norm.hidden",
  "metricsEffective.loss.summary",
  "metricsEffective.reward/max.summary",
  "summary.loss",
  "summary.reward/max",
].map((path) => `conf0001.${path}`);

/** Rows between two deliveries. */
const ROWS_A_FLUSH = 7;

export function initOf({ project }: Scenario, { run, init }: ScenarioAttempt): WandbRunInit {
  return {
    id: run,
    project,
    entity: null,
    displayName: init.name ?? null,
    isNameGiven: init.name !== undefined,
    group: init.group ?? null,
    jobType: init.jobType ?? null,
    notes: init.notes ?? null,
    tags: init.tags ?? null,
    config: init.config ?? {},
    program: null,
    platform: "linux-x64",
  };
}

export async function playAttempt(run: WandbRun, attempt: ScenarioAttempt): Promise<void> {
  for (const name of definedNames(attempt)) run.define(name);
  let rows = 0;
  let nextStep = 0;
  for (const step of attempt.steps) {
    if (step.op === "log") {
      nextStep = Math.max(nextStep, typeof step.step === "number" ? step.step : 0);
      await logRow(run, step, nextStep);
      nextStep += 1;
      rows += 1;
      if (rows % ROWS_A_FLUSH === 0) await run.flush();
    } else await playOther(run, step);
  }
  await run.finish(attempt.exitcode);
}

async function logRow(run: WandbRun, { row, table }: ScenarioStep, step: number): Promise<void> {
  const cell = table && (await run.addTable(table.key, table, step));
  const cells: ExtendedObject = table && cell ? { [table.key]: cell } : {};
  run.log({ ...row, ...cells }, { timeMs: Date.now(), step });
}

async function playOther(run: WandbRun, step: ScenarioStep): Promise<void> {
  const { op, update = {}, stream = "stdout", text = "", path = "" } = step;
  if (op === "config") run.updateConfig(update);
  else if (op === "summary") run.updateSummary(update);
  else if (op === "console") run.print(stream, text, Date.now());
  else if (op === "file") await run.addFile(path, text);
}

/** The names in a row that match a pattern. */
function definedNames({ steps }: ScenarioAttempt): readonly string[] {
  const logged = steps.flatMap(({ row = {} }) => Object.keys(row));
  return steps
    .flatMap(({ op, name = "" }) => (op === "define_metric" ? [name] : []))
    .flatMap((name) =>
      name.endsWith("*") ? logged.filter((own) => own.startsWith(name.slice(0, -1))) : [name],
    );
}
