/** Parses the arguments of the commands that inspect and export runs. */

import { EXPORT_FORMATS } from "../../core/examples/exportRow.ts";
import { parseRolloutCondition, unknownConditionField } from "../../shared/rolloutCondition.ts";
import { SEARCH_ROLES } from "../../shared/search.ts";
import type { GivenArguments } from "./givenArguments.ts";

export type RunsCommand = ReturnType<typeof runsCommand>;
export type ShowCommand = ReturnType<typeof showCommand>;
export type SearchCommand = ReturnType<typeof searchCommand>;
export type ReportCommand = ReturnType<typeof reportCommand>;
export type ExportCommand = ReturnType<typeof exportCommand>;
export type CollectCommand = ReturnType<typeof collectCommand>;
export type ViewCommand = ReturnType<typeof viewCommand>;

export function runsCommand(given: GivenArguments) {
  return {
    kind: "runs" as const,
    /** A folder of runs, a project, or a configuration; null = the working directory. */
    path: given.atMostOne(),
    wantsJson: given.has("json"),
  };
}

/** Shows runs in a browser. */
export function viewCommand(given: GivenArguments) {
  return {
    kind: "view" as const,
    /** A run, a folder of runs, a project, or a configuration; null = the working directory. */
    path: given.atMostOne(),
    port: given.port(),
  };
}

/** Step, group and rollout numbers count from 1, as on screen. */
export function showCommand(given: GivenArguments) {
  const show = {
    kind: "show" as const,
    folder: given.only("the run folder"),
    step: given.number("step"),
    group: given.number("group"),
    rollout: given.number("rollout"),
    wantsTokens: given.has("tokens"),
    wantsEvaluation: given.has("eval"),
    /** Show the curriculum's state per task, instead of the steps. */
    wantsTasks: given.has("tasks"),
    /** Show what the service has billed, instead of the folder's content. */
    wantsBilled: given.has("billed"),
    allowedOrigins: given.allowedOrigins(),
    wantsJson: given.has("json"),
  };
  const { step, group, rollout, wantsTokens, wantsEvaluation } = show;
  if (step === null && (group ?? rollout) !== null) {
    throw given.error("--group and --rollout need --step");
  }
  if (wantsTokens && rollout === null) {
    throw given.error(
      "--tokens needs a single rollout: --step, --group and --rollout, or --eval, --step and --rollout",
    );
  }
  if (show.wantsTasks && (step !== null || wantsEvaluation || show.wantsBilled || show.wantsJson)) {
    throw given.error("--tasks is for the whole run and cannot be used with other flags");
  }
  if (show.wantsBilled && (step !== null || wantsEvaluation || show.wantsJson)) {
    throw given.error("--billed is for the whole run and cannot be used with other flags");
  }
  return show;
}

export function searchCommand(given: GivenArguments) {
  const [pattern = "", ...paths] = given.positionals;
  if (pattern.trim() === "") throw given.error("search needs a pattern");
  return {
    kind: "search" as const,
    pattern,
    /** Run folders, or the folders and configurations that `runs` accepts; empty = the working directory. */
    paths,
    /** Maximum number of rollouts to find; null = no limit. */
    limit: given.number("limit", { least: 1 }),
    isRegex: given.has("regex"),
    isCaseSensitive: !given.has("ignore-case"),
    /** Empty = all. */
    roles: given
      .texts("role")
      .flatMap((names) => names.split(","))
      .map((name) => given.oneOf("role", SEARCH_ROLES, name)),
    wantsJson: given.has("json"),
  };
}

/** Writes a report of runs for other people. */
export function reportCommand(given: GivenArguments) {
  const { positionals: folders } = given;
  if (folders.length === 0) throw given.error("report needs a run folder");
  const output = given.text("output");
  const usual = /\.(md|markdown)$/i.test(output ?? "") ? "markdown" : "html";
  return {
    kind: "report" as const,
    folders,
    format: given.oneOf("format", ["html", "markdown"], given.text("format") ?? usual),
    /** Null = named after the run for HTML, standard output for Markdown. */
    output,
  };
}

export function exportCommand(given: GivenArguments) {
  const { positionals: folders } = given;
  if (folders.length === 0) throw given.error("export needs a run folder");
  return {
    kind: "export" as const,
    folders,
    starred: given.has("starred"),
    tags: given.texts("tag"),
    ...choosing(given),
  };
}

/** Plays training tasks several times, and writes the successful rollouts as a dataset. */
export function collectCommand(given: GivenArguments) {
  const [model, ...further] = given.positionals;
  if (model === undefined || further.length > 0) throw given.error("collect needs one model");
  return {
    kind: "collect" as const,
    /** A checkpoint, a run folder or `base`. */
    model,
    configPath: given.text("config_path"),
    /** Rollouts per task. */
    samples: given.number("samples", { least: 1, most: 10_000 }) ?? 4,
    /** Null = all. */
    tasks: given.number("tasks", { least: 1, most: 10_000_000 }),
    overrides: given.overrides,
    allowedOrigins: given.allowedOrigins(),
    ...choosing(given),
  };
}

/** Which rollouts to export, and in which format. */
function choosing(given: GivenArguments) {
  const where = given.text("where");
  if (where !== null && parseRolloutCondition(where) === null) {
    const unknown = unknownConditionField(where);
    if (unknown !== null) throw given.error(`--where: ${unknown.replace(/[.?]$/, "")}`);
    throw given.error(
      `--where is ${JSON.stringify(where)}. It takes comparisons such as "reward >= 1 and turns <= 4"`,
    );
  }
  return {
    where,
    format: given.oneOf("format", EXPORT_FORMATS, given.text("format") ?? "messages"),
    maxPerTask: given.number("max_per_task", { least: 1, most: 1_000_000 }),
    /** Null = named after the first run. */
    output: given.text("output"),
    license: given.text("license"),
  };
}
