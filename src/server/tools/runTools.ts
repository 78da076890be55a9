/** Answers language models' questions about runs and configurations, in the editor's chat and over MCP. Read-only; contacts no services. */

import { noticeOf } from "../../core/alarms/alarmEvents.ts";
import { checkText } from "../../core/config/check.ts";
import { embeddedNameProblems } from "../../core/config/editing/diagnostics/embeddedNames.ts";
import { parseChecked } from "../../core/config/parse.ts";
import { AppError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { describeRollouts, describeTrajectories } from "../../core/outputs/rolloutsOutput.ts";
import { describeRun } from "../../core/outputs/runOutput.ts";
import { runFields } from "../../core/outputs/runsOutput.ts";
import { describeValidation } from "../../core/outputs/validationOutput.ts";
import type { FolderFiles } from "../../core/ports.ts";
import { readEvents } from "../../core/runFolder/events.ts";
import { createRunReader } from "../../core/runFolder/reader.ts";
import type { ListedRun } from "../../core/runs/runList.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { DEFAULT_CONFIG } from "../../shared/configNames.ts";
import { checkedInput, type ToolInput, toolInputs } from "./toolInputs.ts";
import type { ToolId } from "./toolTable.ts";
import { toolText } from "./toolText.ts";

/** The runs and configurations that a model may see. */
export interface ToolSources {
  /** The newest first. */
  runs(): Promise<readonly ListedRun[]>;
  /** Absolute paths. */
  configs(): Promise<readonly string[]>;
  /** The text in the editor or the file, with its overrides. @throws AppError `file-unreadable` */
  readConfig(
    path: string,
  ): Promise<{ readonly text: string; readonly overrides: readonly string[] }>;
  /** The name under which models know a run or a configuration. */
  nameOf(path: string): string;
  /** The files of a run folder. */
  filesOf(folder: string): FolderFiles;
  now(): number;
}

type Answers = { readonly [Id in ToolId]: (input: ToolInput<Id>) => Promise<Json> };

const MAX_RUNS = 50;
/** The size limit minus the answer's frame, with room for characters that need escaping. */
const MAX_LIST_CHARS = 24_000;
const DEFAULT_STEPS = 20;
const MAX_NAMES = 300;
const MAX_EVENTS = 30;
/** Otherwise an assistant that wrote a file cannot know why it is not listed. */
const WHAT_IS_CONFIG = `A configuration has a name such as ${DEFAULT_CONFIG} or *.tinker.yaml, or the comment \`# tinker-rl: config\` in its first five lines.`;
/** Page size for rollouts and turns that are requested by number. */
const PAGE = 20;
/** Prefixes of the metrics that say most about learning. */
const TELLING = [
  ...["rollout/reward/", "rollout/success_frac", "rollout/parse_ok_frac", "rollout/turns/mean"],
  ...["rollout/response_tokens/mean", "rollout/turn_truncated_frac", "rollout/stop_reason/"],
  ...["group/frac_", "num_groups", "num_excluded_groups", "num_errors", "loss", "lr"],
  ...["optim/entropy", "optim/kl_", "optim/ratio_max", "optim/clip_frac", "optim/grad_norm"],
  ...["rollout/entropy", "async/staleness/", "cost/cumulative_usd", "time/total_s"],
];

export class RunTools {
  readonly #sources: ToolSources;
  readonly #redactor: Redactor;
  readonly #answers: Answers;

  constructor(sources: ToolSources, redactor: Redactor) {
    this.#sources = sources;
    this.#redactor = redactor;
    this.#answers = {
      listRuns: () => this.#listRuns(),
      readMetrics: (input) => this.#readMetrics(input),
      readRollouts: (input) => this.#readRollouts(input),
      validateConfig: (input) => this.#validateConfig(input),
      explainAlarms: (input) => this.#explainAlarms(input),
    };
  }

  /** An answer as framed JSON. @throws AppError `tool-input`, `no-such-run`, `no-such-number`, `no-such-config`, `file-unreadable` */
  async answer(id: ToolId, input: unknown): Promise<string> {
    return toolText(await this.value(id, input), { redactor: this.#redactor });
  }

  /** Like {@link answer}, before redaction and truncation. */
  async value(id: ToolId, input: unknown): Promise<Json> {
    const answer = this.#answers[id] as (checked: unknown) => Promise<Json>; // the schema of the same tool checks it
    return answer(checkedInput(toolInputs[id], input));
  }

  async #listRuns(): Promise<Json> {
    const { nameOf } = this.#sources;
    const runs = await this.#sources.runs();
    const listed = runs.slice(0, MAX_RUNS).map((run) => {
      const { folder: _, configPath, ...fields } = runFields(run);
      return {
        run: nameOf(run.folder),
        ...fields,
        recentRewards: [...fields.recentRewards],
        config: configPath === null ? null : nameOf(configPath),
      };
    });
    // The list is newest first, and truncation drops the first entries, so limit the list here.
    let length = 0;
    const fitting = listed.filter((run) => {
      length += JSON.stringify(run).length;
      return length <= MAX_LIST_CHARS;
    });
    return { runs: fitting, omittedRuns: runs.length - fitting.length };
  }

  async #readMetrics({
    run,
    metrics = TELLING,
    lastSteps = DEFAULT_STEPS,
  }: ToolInput<"readMetrics">): Promise<Json> {
    const { steps, omittedSteps, evaluations } = await this.#describe(await this.find(run));
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
    from,
  }: ToolInput<"readRollouts">): Promise<Json> {
    if (rollout !== undefined && group === undefined) {
      throw new AppError("tool-input", "rollout is a position in a group: name the group, too.");
    }
    const { folder } = await this.find(run);
    const reader = createRunReader(this.#sources.filesOf(folder), folder);
    const source = evaluation ? "evaluation" : "training";
    const at = { source, step } as const;
    const all = await describeRollouts(reader, at);
    if (all.rollouts.length === 0) {
      const known = (await reader.steps(source)).map((each) => (evaluation ? each : each + 1));
      const last = known.slice(-MAX_NAMES).join(", ");
      throw new AppError(
        "no-such-number",
        last === ""
          ? `The run has no rollouts of ${evaluation ? "evaluations" : "training"}.`
          : `There are no rollouts of step ${step}. The last steps are ${last}.`,
      );
    }
    if (group === undefined) {
      if (from === undefined) return plainJson(all);
      const wanted = all.rollouts.filter((each) => each.group >= from);
      return plainJson({ ...all, ...page("rollouts", wanted) });
    }
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
    const read = await describeTrajectories(reader, at, { summaries, wantsTokens: false });
    if (from === undefined) return plainJson(read);
    const trajectories = read.trajectories.map(({ turns, ...each }) => ({
      ...each,
      ...page("turns", turns.slice(from - 1)),
    }));
    return plainJson({ ...read, trajectories });
  }

  async #validateConfig({ path: name }: ToolInput<"validateConfig">): Promise<Json> {
    const path = await this.findConfig(name);
    const { text, overrides } = await this.#sources.readConfig(path);
    const whole = checkText(text, { path, overrides });
    const parsed = parseChecked(whole);
    const names = parsed.ok ? embeddedNameProblems(whole, { path, overrides }) : [];
    const result =
      parsed.ok && names.length > 0
        ? { ok: false as const, problems: [...parsed.warnings, ...names] }
        : parsed;
    return plainJson(describeValidation(this.#sources.nameOf(path), result));
  }

  async #explainAlarms({ run }: ToolInput<"explainAlarms">): Promise<Json> {
    const found = await this.find(run);
    const { alarms } = await this.#describe(found);
    const events = [];
    const files = this.#sources.filesOf(found.folder);
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

  #describe(run: ListedRun): ReturnType<typeof describeRun> {
    const { folder } = run;
    return describeRun(this.#sources.filesOf(folder), { folder, run, nowMs: this.#sources.now() });
  }

  /** Finds listed runs only, so that a model cannot name arbitrary folders. @throws AppError `no-such-run` */
  async find(name: string): Promise<ListedRun> {
    const { nameOf } = this.#sources;
    const runs = await this.#sources.runs();
    const found = runs.find(({ folder }) => nameOf(folder) === name);
    const named = runs.filter((run) => run.name === name);
    const run = found ?? (named.length === 1 ? named[0] : undefined);
    if (run !== undefined) return run;
    const known = runs.slice(0, MAX_RUNS).map(({ folder }) => nameOf(folder));
    throw new AppError(
      "no-such-run",
      `There is no run ${name}. Available: ${known.join(", ") || "none"}.`,
    );
  }

  /** The path of a listed configuration. @throws AppError `no-such-config` */
  async findConfig(name: string): Promise<string> {
    const { nameOf } = this.#sources;
    const configs = await this.#sources.configs();
    const found = configs.find((path) => [nameOf(path), path].includes(name));
    if (found !== undefined) return found;
    const known = configs.slice(0, MAX_RUNS).map(nameOf).join(", ") || "none";
    throw new AppError(
      "no-such-config",
      `${name} is not a configuration in this workspace. Available: ${known}. ${WHAT_IS_CONFIG}`,
    );
  }
}

/** The first items of a list, and the number of remaining ones. */
function page(name: string, items: readonly unknown[]) {
  const shown = items.slice(0, PAGE);
  return { [name]: shown, later: items.length - shown.length };
}

/** Drops what JSON cannot represent. */
export function plainJson(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
