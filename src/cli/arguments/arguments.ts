/** Understands the command line: which command, with which values, or one clear line about what is wrong. */

import type { AppError } from "../../core/errors.ts";
import { nearestWord } from "../../core/util/editDistance.ts";
import {
  configCommand,
  lastValue,
  numberOf,
  oneOf,
  onlyPositional,
  refuseFurther,
  type Sending,
  sending,
  type WithOverrides,
} from "./argumentValues.ts";
import { type ChatCommand, chatCommand } from "./chatArguments.ts";
import { type CheckpointsCommand, checkpointsCommand } from "./checkpointArguments.ts";
import { controlCommand, type RunControlCommand } from "./controlArguments.ts";
import { type EnvCommand, envCommand } from "./envArguments.ts";
import { type EstimateCommand, estimateCommand } from "./estimateArguments.ts";
import { type EvaluateCommand, evaluateCommand } from "./evaluateArguments.ts";
import {
  type CollectCommand,
  collectCommand,
  type ExportCommand,
  exportCommand,
} from "./exportArguments.ts";
import {
  argumentError,
  CONFIG_FILE,
  type CommandName,
  didYouMean,
  FLAGS,
  NO_COMMAND_FLAGS,
  type ParsedFlags,
  readFlags,
} from "./flags.ts";
import { type McpCommand, mcpCommand } from "./mcpArguments.ts";
import { type SearchCommand, searchCommand } from "./searchArguments.ts";
import { type ServeCommand, serveCommand } from "./serveArguments.ts";
import { type ServeModelCommand, serveModelCommand } from "./serveModelArguments.ts";
import { type ShowCommand, showCommand } from "./showArguments.ts";
import { type ShowPromptCommand, showPromptCommand } from "./showPromptArguments.ts";
import { type SweepCommand, sweepCommand } from "./sweepArguments.ts";
import { type DryRunCommand, type TrainCommand, trainCommand } from "./trainArguments.ts";

export interface ResumeCommand extends WithOverrides, Sending {
  readonly kind: "resume";
  readonly folder: string;
  /** Null = the one that the folder names. */
  readonly configPath: string | null;
}

/** An editor starts this trainer, and sends over standard input what to train. */
export interface LaunchCommand {
  readonly kind: "launch";
  /** Folder of `launch.json`, which the editor reads. */
  readonly folder: string;
}

export interface ValidateCommand extends WithOverrides {
  readonly kind: "validate";
  readonly configPath: string;
  readonly wantsJson: boolean;
}

export interface RunsCommand {
  readonly kind: "runs";
  /** A folder of runs or of a project, or a configuration; null = the working directory. */
  readonly path: string | null;
  readonly wantsJson: boolean;
}

/** Shows runs in a browser. */
export interface ViewCommand {
  readonly kind: "view";
  /** A run, a folder of runs or of a project, or a configuration; null = the working directory. */
  readonly path: string | null;
  /** 0 = any free one. */
  readonly port: number;
}

/** Writes a report of runs for other people. */
export interface ReportCommand {
  readonly kind: "report";
  /** At least one. */
  readonly folders: readonly string[];
  readonly format: "html" | "markdown";
  /** Null = named after the run for HTML, the output of the program for Markdown. */
  readonly output: string | null;
}

/** Lists models that can be trained. */
export interface ModelsCommand extends Sending {
  readonly kind: "models";
}

export type Command =
  | { readonly kind: "help"; readonly topic: CommandName | null }
  | { readonly kind: "version" }
  | TrainCommand
  | DryRunCommand
  | ResumeCommand
  | EvaluateCommand
  | EstimateCommand
  | SweepCommand
  | LaunchCommand
  | RunControlCommand
  | ValidateCommand
  | ShowPromptCommand
  | RunsCommand
  | ShowCommand
  | SearchCommand
  | ReportCommand
  | ExportCommand
  | CollectCommand
  | ModelsCommand
  | ChatCommand
  | CheckpointsCommand
  | EnvCommand
  | ServeCommand
  | ServeModelCommand
  | ViewCommand
  | McpCommand
  | { readonly kind: "lsp" };

const COMMANDS = Object.keys(FLAGS) as readonly CommandName[]; // the keys of a record that is written out

/** @throws AppError `bad-arguments` with one line that names the fault and the next step. */
export function parseArguments(args: readonly string[]): Command {
  const [first] = args;
  if (first === undefined) return { kind: "help", topic: null };
  // The command line of an editor has no other words, so that none can be mistaken for a flag.
  if (first === "--launch" && args.length === 2) return { kind: "launch", folder: args[1] ?? "" };
  const name = COMMANDS.find((command) => command === first);
  if (name !== undefined) return parseCommand(name, readFlags(args.slice(1), FLAGS[name], name));
  if (!first.startsWith("-") && !CONFIG_FILE.test(first)) throw unknownCommand(first);
  const given = readFlags(args, NO_COMMAND_FLAGS, null);
  if (given.switches.has("version")) return { kind: "version" };
  if (given.switches.has("help")) return { kind: "help", topic: null };
  return parseCommand("train", given);
}

function parseCommand(name: CommandName, given: ParsedFlags): Command {
  return given.switches.has("help") ? { kind: "help", topic: name } : READERS[name](given);
}

const READERS: Readonly<Record<CommandName, (given: ParsedFlags) => Command>> = {
  train: trainCommand,
  resume: resumeCommand,
  evaluate: evaluateCommand,
  sweep: sweepCommand,
  control: controlCommand,
  validate: (given) => ({ ...configCommand(given, "validate"), wantsJson: wantsJson(given) }),
  estimate: estimateCommand,
  "show-prompt": showPromptCommand,
  runs: (given) => ({
    kind: "runs",
    path: optionalPath(given, "runs"),
    wantsJson: wantsJson(given),
  }),
  show: showCommand,
  search: searchCommand,
  report: reportCommand,
  export: exportCommand,
  collect: collectCommand,
  models: (given) => {
    refuseFurther(given.positionals, "models");
    return { kind: "models", ...sending(given, "models") };
  },
  chat: chatCommand,
  checkpoints: checkpointsCommand,
  env: envCommand,
  serve: serveCommand,
  "serve-model": serveModelCommand,
  view: (given) => ({
    kind: "view",
    path: optionalPath(given, "view"),
    port: numberOf(given, "view", "port", { most: 65_535 }) ?? 0,
  }),
  mcp: mcpCommand,
  lsp: ({ positionals }) => {
    refuseFurther(positionals, "lsp");
    return { kind: "lsp" };
  },
};

function wantsJson({ switches }: ParsedFlags): boolean {
  return switches.has("json");
}

function optionalPath({ positionals }: ParsedFlags, command: CommandName): string | null {
  const [path = null, ...further] = positionals;
  refuseFurther(further, command);
  return path;
}

/** @throws AppError `bad-arguments` */
function resumeCommand(given: ParsedFlags): ResumeCommand {
  return {
    kind: "resume",
    folder: onlyPositional(given, "resume", "the run folder"),
    configPath: lastValue(given, "config_path") ?? null,
    overrides: given.overrides,
    ...sending(given, "resume"),
  };
}

/** @throws AppError `bad-arguments` */
function reportCommand(given: ParsedFlags): ReportCommand {
  const { positionals: folders } = given;
  if (folders.length === 0) throw argumentError("report needs a run folder", "report");
  const word = lastValue(given, "format") ?? "html";
  const format = oneOf(["html", "markdown"], word, "format", "report");
  return { kind: "report", folders, format, output: lastValue(given, "output") ?? null };
}

function unknownCommand(word: string): AppError {
  const nearest = nearestWord(word, COMMANDS);
  const hint = nearest === null ? `The commands are ${COMMANDS.join(", ")}` : didYouMean(nearest);
  return argumentError(`Unknown command ${JSON.stringify(word)}. ${hint}`, null);
}
