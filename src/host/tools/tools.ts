/** Answers the tools of language models from run folders and open files; nothing is changed and no service is asked. */

import { relative } from "node:path";
import * as vscode from "vscode";
import { noticeOf } from "../../core/alarms/alarmEvents.ts";
import { parseConfig } from "../../core/config/parse.ts";
import { AppError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { describeRollouts, describeTrajectories } from "../../core/outputs/rolloutsOutput.ts";
import { describeRun } from "../../core/outputs/runOutput.ts";
import { runFields } from "../../core/outputs/runsOutput.ts";
import { describeValidation } from "../../core/outputs/validationOutput.ts";
import type { FileSystem } from "../../core/ports.ts";
import { readEvents } from "../../core/runFolder/events.ts";
import { createRunReader } from "../../core/runFolder/reader.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import type { RunEntry } from "../../server/runs/runStore.ts";
import type { ToolId } from "../manifest/toolTable.ts";
import { settingOverrides } from "../vscode/settingOverrides.ts";
import { type ToolInput, toolInputs } from "./toolInputs.ts";
import { toolText } from "./toolText.ts";

export interface ToolOptions {
  readonly store: { readonly runs: readonly RunEntry[] };
  readonly finder: { readonly configs: readonly vscode.Uri[] };
  readonly fileSystem: FileSystem;
  readonly redactor: Redactor;
  readonly now: () => number;
}

type Answers = { readonly [Id in ToolId]: (input: ToolInput<Id>) => Promise<Json> };

const MAX_RUNS = 50;
const DEFAULT_STEPS = 20;
const MAX_NAMES = 300;
const MAX_EVENTS = 30;
/** Beginnings of names that say most about learning. */
const TELLING = [
  ...["rollout/reward/", "rollout/success_frac", "rollout/parse_ok_frac", "rollout/turns/mean"],
  ...["rollout/response_tokens/mean", "rollout/turn_truncated_frac", "rollout/stop_reason/"],
  ...["group/frac_", "num_groups", "num_excluded_groups", "num_errors", "loss", "lr"],
  ...["optim/entropy", "optim/kl_", "optim/ratio_max", "optim/clip_frac", "optim/grad_norm"],
  ...["rollout/entropy", "async/staleness/", "cost/cumulative_usd", "time/total_s"],
];

export class Tools {
  readonly #options: ToolOptions;
  readonly #answers: Answers;

  constructor(options: ToolOptions) {
    this.#options = options;
    this.#answers = {
      listRuns: () => this.#listRuns(),
      readMetrics: (input) => this.#readMetrics(input),
      readRollouts: (input) => this.#readRollouts(input),
      validateConfig: (input) => this.#validateConfig(input),
      explainAlarms: (input) => this.#explainAlarms(input),
    };
  }

  /** A JSON text. @throws AppError `tool-input`, `no-such-run`, `no-such-number`, `file-unreadable` */
  async answer(id: ToolId, input: unknown): Promise<string> {
    const { redactor } = this.#options;
    const parsed = toolInputs[id].safeParse(input ?? {});
    if (!parsed.success) {
      const { path, message } = parsed.error.issues[0] ?? {
        path: [],
        message: "it is not an object",
      };
      throw new AppError("tool-input", `The input is not valid: ${path.join(".")}: ${message}.`);
    }
    const answer = this.#answers[id] as (checked: unknown) => Promise<Json>; // the schema of the same tool has checked it
    return toolText(await answer(parsed.data), redactor);
  }

  async #listRuns(): Promise<Json> {
    const { runs } = this.#options.store;
    const listed = runs.slice(0, MAX_RUNS).map((run) => {
      const { folder: _, configPath, ...fields } = runFields(run);
      return {
        run: idOf(run.folder),
        ...fields,
        recentRewards: [...fields.recentRewards],
        config: configPath === null ? null : idOf(configPath),
      };
    });
    return { runs: listed, omittedRuns: runs.length - listed.length };
  }

  async #readMetrics({
    run,
    metrics = TELLING,
    lastSteps = DEFAULT_STEPS,
  }: ToolInput<"readMetrics">): Promise<Json> {
    const { steps, omittedSteps, evaluations } = await this.#describe(this.#find(run));
    const shown = steps.slice(-lastSteps);
    const isWanted = (name: string): boolean => metrics.some((wanted) => name.startsWith(wanted));
    const names = Object.keys(shown.at(-1)?.metrics ?? {});
    return {
      completedSteps: omittedSteps + steps.length,
      steps: shown.map(({ step, metrics: values }) => ({
        step,
        metrics: Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name))),
      })),
      otherMetrics: names
        .filter((name) => !isWanted(name))
        .slice(0, MAX_NAMES)
        .join(" "),
      evaluations: plainJson(evaluations),
    };
  }

  async #readRollouts({
    run,
    step,
    evaluation = false,
    group,
    rollout,
  }: ToolInput<"readRollouts">): Promise<Json> {
    const { folder } = this.#find(run);
    const reader = createRunReader(this.#options.fileSystem.within(folder), folder);
    const source = evaluation ? "evaluation" : "training";
    const at = { source, step } as const;
    const all = await describeRollouts(reader, at);
    if (all.rollouts.length === 0) {
      const known = (await reader.steps(source)).map((each) => (evaluation ? each : each + 1));
      const last = known.slice(-MAX_NAMES).join(", ");
      throw new AppError(
        "no-such-number",
        `There are no rollouts of step ${step}. The last steps are ${last}.`,
      );
    }
    if (group === undefined) return plainJson(all);
    const stored = await reader.rollouts(evaluation ? step : step - 1, source);
    const summaries = stored.filter(
      (each) => each.group + 1 === group && each.rollout + 1 === (rollout ?? each.rollout + 1),
    );
    if (summaries.length === 0) {
      throw new AppError(
        "no-such-number",
        `There is no such rollout in step ${step}. List the rollouts first.`,
      );
    }
    return plainJson(await describeTrajectories(reader, at, { summaries, wantsTokens: false }));
  }

  /** As it is in the editor, saved or not. */
  async #validateConfig({ path }: ToolInput<"validateConfig">): Promise<Json> {
    const { configs } = this.#options.finder;
    const config = configs.find((uri) => [idOf(uri.fsPath), uri.fsPath].includes(path));
    if (config === undefined) {
      const known = configs.map((uri) => idOf(uri.fsPath)).join(", ") || "none";
      throw new AppError(
        "no-such-config",
        `${path} is not a configuration in this workspace. Available: ${known}.`,
      );
    }
    const document = await vscode.workspace.openTextDocument(config);
    const overrides = settingOverrides(config);
    const result = parseConfig(document.getText(), { path: document.fileName, overrides });
    return plainJson(describeValidation(path, result));
  }

  async #explainAlarms({ run }: ToolInput<"explainAlarms">): Promise<Json> {
    const found = this.#find(run);
    const { alarms } = await this.#describe(found);
    const events = [];
    const files = this.#options.fileSystem.within(found.folder);
    for await (const event of readEvents(files, found.folder)) {
      const notice = noticeOf(event);
      if (notice === null && event.kind !== "alarm-over") continue;
      events.push({ step: event.step === null ? null : event.step + 1, message: event.message });
      if (events.length > MAX_EVENTS) events.shift();
    }
    return {
      firing: plainJson(alarms),
      earlier: events,
      ending: found.file?.ending?.message ?? null,
    };
  }

  #describe(run: RunEntry): ReturnType<typeof describeRun> {
    const { fileSystem, now } = this.#options;
    const { folder } = run;
    return describeRun(fileSystem.within(folder), { folder, run, nowMs: now() });
  }

  /** Only runs of this window: a model names no folders of its own. */
  #find(name: string): RunEntry {
    const { runs } = this.#options.store;
    const found = runs.find(({ folder }) => idOf(folder) === name);
    const named = runs.filter((run) => run.name === name);
    const run = found ?? (named.length === 1 ? named[0] : undefined);
    if (run !== undefined) return run;
    const known = runs.slice(0, MAX_RUNS).map(({ folder }) => idOf(folder));
    throw new AppError(
      "no-such-run",
      `There is no run ${name}. Available: ${known.join(", ") || "none"}.`,
    );
  }
}

/** The path from the workspace folder; outside of it the last names, so that no home folder is named. */
function idOf(path: string): string {
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path));
  const name = folder === undefined ? path.split(/[/\\]/).slice(-2).join("/") : "";
  return folder === undefined ? name : relative(folder.uri.fsPath, path).replaceAll("\\", "/");
}

/** Outputs hold what JSON has. */
function plainJson(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
