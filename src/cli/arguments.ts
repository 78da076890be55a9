/** Understands the command line: which command, with which values, or one clear line about what is wrong. */

import type { AppError } from "../core/errors.ts";
import { type AllowedOrigin, originOf } from "../core/secrets/hostBinding.ts";
import { nearestWord } from "../core/util/editDistance.ts";
import type { ControlCommand } from "../shared/control.ts";
import { type CheckpointAction, checkpointAction } from "./checkpointArguments.ts";
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

/** Arguments of commands that send keys. */
interface Sending {
  /** Origins to which the user allows keys to go. */
  readonly allowedOrigins: readonly AllowedOrigin[];
}

/** Settings over those of a configuration file, each as `key=value`. */
interface WithOverrides {
  readonly overrides: readonly string[];
}

export interface TrainCommand extends WithOverrides, Sending {
  readonly kind: "train";
  readonly configPath: string;
}

export interface ResumeCommand extends WithOverrides, Sending {
  readonly kind: "resume";
  readonly folder: string;
}

/** Runs all combinations of the values of a grid. */
export interface SweepCommand extends WithOverrides, Sending {
  readonly kind: "sweep";
  readonly configPath: string;
  /** `key=value,value` each. */
  readonly grid: readonly string[];
  /** How many runs go on at once, at least 1. */
  readonly parallel: number;
  readonly retriesFailed: boolean;
  /** True to show the runs, and start none. */
  readonly isShowOnly: boolean;
  readonly wantsJson: boolean;
  /** True when the user wants so many runs. */
  readonly isConfirmed: boolean;
}

/** An editor starts this trainer, and sends over standard input what to train. */
export interface LaunchCommand {
  readonly kind: "launch";
  /** Folder of `launch.json`, which the editor reads. */
  readonly folder: string;
}

/** An editor asks for a prompt over standard input. */
export interface PreviewCommand {
  readonly kind: "preview";
}

export interface RunControlCommand {
  readonly kind: "control";
  readonly folder: string;
  readonly command: ControlCommand;
}

export interface ValidateCommand extends WithOverrides {
  readonly kind: "validate";
  readonly configPath: string;
}

/** Shows the first prompt of a task. */
export interface ShowPromptCommand extends WithOverrides, Sending {
  readonly kind: "show-prompt";
  readonly configPath: string;
  /** Null = the first one of the configuration that has the split. */
  readonly environment: string | null;
  /** Null = the first one of the environment. */
  readonly split: string | null;
  /** Of the task in its split, from 0. */
  readonly task: number;
  readonly wantsIds: boolean;
}

export interface RunsCommand {
  readonly kind: "runs";
  /** A folder of runs or of a project, or a configuration; null = the working directory. */
  readonly path: string | null;
}

/** Numbers of steps, groups and rollouts count from 1, as on the screen. */
export interface ShowCommand {
  readonly kind: "show";
  readonly folder: string;
  readonly step: number | null;
  readonly group: number | null;
  readonly rollout: number | null;
  readonly wantsTokens: boolean;
  readonly wantsEvaluation: boolean;
}

/** Lists models that can be trained. */
export interface ModelsCommand extends Sending {
  readonly kind: "models";
}

/** Does something with saved weights. */
export interface CheckpointsCommand extends Sending {
  readonly kind: "checkpoints";
  readonly action: CheckpointAction;
  /** True to leave the service alone. */
  readonly isLocalOnly: boolean;
}

export interface ServeCommand {
  readonly kind: "serve";
  /** 0 = any free port. */
  readonly tinkerPort: number;
  readonly environmentsPort: number;
  /** Most sessions of the environments at once, at least 1; null = no limit. */
  readonly maxSessions: number | null;
  /** Folder for checkpoints; null = the user's common store. */
  readonly store: string | null;
  /** Random weights under the name of a model, with its tokenizer; null = the bundled model. */
  readonly random: { readonly model: string; readonly tokenizer: string } | null;
}

export type Command =
  | { readonly kind: "help"; readonly topic: CommandName | null }
  | { readonly kind: "version" }
  | TrainCommand
  | ResumeCommand
  | SweepCommand
  | LaunchCommand
  | PreviewCommand
  | RunControlCommand
  | ValidateCommand
  | ShowPromptCommand
  | RunsCommand
  | ShowCommand
  | ModelsCommand
  | CheckpointsCommand
  | ServeCommand;

const COMMANDS: readonly CommandName[] = [
  "train",
  "resume",
  "sweep",
  "control",
  "validate",
  "show-prompt",
  "runs",
  "show",
  "models",
  "checkpoints",
  "serve",
];

const ACTIONS = ["status", "pause", "continue", "save", "stop", "stop-now"] as const;

/** @throws AppError `bad-arguments` with one line that names the fault and the next step. */
export function parseArguments(args: readonly string[]): Command {
  const [first] = args;
  if (first === undefined) return { kind: "help", topic: null };
  // The command lines of an editor have no other words, so that none can be mistaken for a flag.
  if (first === "--launch" && args.length === 2) return { kind: "launch", folder: args[1] ?? "" };
  if (first === "--preview" && args.length === 1) return { kind: "preview" };
  const name = COMMANDS.find((command) => command === first);
  if (name !== undefined) return parseCommand(name, readFlags(args.slice(1), FLAGS[name], name));
  if (!first.startsWith("-") && !CONFIG_FILE.test(first)) throw unknownCommand(first);
  const given = readFlags(args, NO_COMMAND_FLAGS, null);
  if (given.switches.has("version")) return { kind: "version" };
  if (given.switches.has("help")) return { kind: "help", topic: null };
  return parseCommand("train", given);
}

function parseCommand(name: CommandName, given: ParsedFlags): Command {
  if (given.switches.has("help")) return { kind: "help", topic: name };
  switch (name) {
    case "train":
      return { ...parseConfigCommand(given, "train"), ...sending(given, name) };
    case "resume": {
      const folder = onlyPositional(given, name, "the run folder");
      const { overrides } = given;
      return { kind: "resume", folder, overrides, ...sending(given, name) };
    }
    case "sweep":
      return parseSweep(given);
    case "control":
      return parseControl(given);
    case "validate":
      return parseConfigCommand(given, "validate");
    case "show-prompt":
      return parseShowPrompt(given);
    case "runs":
      refuseFurther(given.positionals.slice(1), "runs");
      return { kind: "runs", path: given.positionals[0] ?? null };
    case "show":
      return parseShow(given);
    case "models":
      refuseFurther(given.positionals, name);
      return { kind: "models", ...sending(given, name) };
    case "checkpoints":
      return {
        kind: "checkpoints",
        action: checkpointAction(given),
        isLocalOnly: given.switches.has("local"),
        ...sending(given, name),
      };
    case "serve":
      return parseServe(given);
  }
}

function parseConfigCommand<Kind extends "train" | "sweep" | "validate" | "show-prompt">(
  given: ParsedFlags,
  kind: Kind,
) {
  const { overrides } = given;
  const configPath = lastValue(given, "config_path");
  if (configPath === undefined) {
    return { kind, configPath: onlyPositional(given, kind, "the configuration file"), overrides };
  }
  refuseFurther(given.positionals, kind);
  return { kind, configPath, overrides };
}

function sending(given: ParsedFlags, command: CommandName): Sending {
  const hosts = given.values.get("allow-host") ?? [];
  return {
    allowedOrigins: hosts.map((host) => ({ origin: allowedOrigin(host, command), key: null })),
  };
}

function allowedOrigin(host: string, command: CommandName): string {
  const origin = originOf(host);
  if (origin !== null) return origin;
  throw argumentError(
    `--allow-host is ${JSON.stringify(host)}, not HOST, HOST:PORT or http://HOST`,
    command,
  );
}

function parseSweep(given: ParsedFlags): SweepCommand {
  const parallel = numberOf(given, "sweep", "parallel") ?? 1;
  if (parallel === 0) throw argumentError("--parallel is 0, not at least 1", "sweep");
  return {
    ...parseConfigCommand(given, "sweep"),
    ...sending(given, "sweep"),
    grid: given.values.get("grid") ?? [],
    parallel,
    retriesFailed: given.switches.has("retry-failed"),
    isShowOnly: given.switches.has("show"),
    wantsJson: given.switches.has("json"),
    isConfirmed: given.switches.has("yes"),
  };
}

function parseControl({ positionals }: ParsedFlags): RunControlCommand {
  const [folder, word, ...settings] = positionals;
  if (folder === undefined || word === undefined) {
    throw argumentError("control needs the run folder and an action", "control");
  }
  if (word === "set") {
    const odd = settings.find((setting) => !setting.includes("="));
    if (odd !== undefined)
      throw argumentError(`${JSON.stringify(odd)} is not KEY=VALUE`, "control");
    if (settings.length === 0) throw argumentError("set needs at least one KEY=VALUE", "control");
    return { kind: "control", folder, command: { action: "change-settings", settings } };
  }
  refuseFurther(settings, "control");
  const action = ACTIONS.find((command) => command === word);
  if (action !== undefined) return { kind: "control", folder, command: { action } };
  const nearest = nearestWord(word, [...ACTIONS, "set"]);
  const hint = nearest === null ? `It can be ${ACTIONS.join(", ")} or set` : didYouMean(nearest);
  throw argumentError(`control has no action ${JSON.stringify(word)}. ${hint}`, "control");
}

function lastValue({ values }: ParsedFlags, flag: string): string | undefined {
  return values.get(flag)?.at(-1);
}

function parseShow(given: ParsedFlags): ShowCommand {
  const show: ShowCommand = {
    kind: "show",
    folder: onlyPositional(given, "show", "the run folder"),
    step: numberOf(given, "show", "step"),
    group: numberOf(given, "show", "group"),
    rollout: numberOf(given, "show", "rollout"),
    wantsTokens: given.switches.has("tokens"),
    wantsEvaluation: given.switches.has("eval"),
  };
  const { step, group, rollout, wantsTokens, wantsEvaluation } = show;
  if (step === null && (group ?? rollout) !== null) {
    throw argumentError("--group and --rollout need the --step they belong to", "show");
  }
  if (wantsEvaluation && (group !== null || wantsTokens)) {
    throw argumentError("--group and --tokens do not go with --eval, which has neither", "show");
  }
  if (!wantsEvaluation && rollout !== null && group === null) {
    throw argumentError("--rollout needs the --group it belongs to", "show");
  }
  if (wantsTokens && rollout === null) {
    throw argumentError("--tokens needs one rollout: --step, --group and --rollout", "show");
  }
  return show;
}

function parseShowPrompt(given: ParsedFlags): ShowPromptCommand {
  return {
    ...parseConfigCommand(given, "show-prompt"),
    ...sending(given, "show-prompt"),
    environment: lastValue(given, "environment") ?? null,
    split: lastValue(given, "split") ?? null,
    task: numberOf(given, "show-prompt", "task") ?? 0,
    wantsIds: given.switches.has("ids"),
  };
}

function parseServe(given: ParsedFlags): ServeCommand {
  refuseFurther(given.positionals, "serve");
  const maxSessions = numberOf(given, "serve", "max_sessions");
  if (maxSessions === 0) throw argumentError("--max_sessions is 0, not at least 1", "serve");
  return {
    kind: "serve",
    tinkerPort: numberOf(given, "serve", "tinker_port", 65_535) ?? 0,
    environmentsPort: numberOf(given, "serve", "environments_port", 65_535) ?? 0,
    maxSessions,
    store: lastValue(given, "store") ?? null,
    random: randomModel(given),
  };
}

function randomModel(given: ParsedFlags): ServeCommand["random"] {
  const [model, tokenizer] = [lastValue(given, "model"), lastValue(given, "tokenizer")];
  if (model === undefined && tokenizer === undefined) return null;
  if (model !== undefined && tokenizer !== undefined) return { model, tokenizer };
  const [there, missing] = model === undefined ? ["tokenizer", "model"] : ["model", "tokenizer"];
  throw argumentError(`--${there} serves random weights and needs --${missing}`, "serve");
}

function numberOf(
  given: ParsedFlags,
  command: CommandName,
  flag: string,
  most = Number.MAX_SAFE_INTEGER,
): number | null {
  const text = lastValue(given, flag);
  if (text === undefined) return null;
  const isNumber = /^\d+$/.test(text) && Number(text) <= most;
  if (isNumber) return Number(text);
  const range = most === Number.MAX_SAFE_INTEGER ? "" : ` from 0 to ${most}`;
  throw argumentError(`--${flag} is ${JSON.stringify(text)}, not a whole number${range}`, command);
}

function onlyPositional({ positionals }: ParsedFlags, command: CommandName, what: string): string {
  const [only, ...further] = positionals;
  if (only === undefined) throw argumentError(`${command} needs ${what}`, command);
  refuseFurther(further, command);
  return only;
}

function refuseFurther(positionals: readonly string[], command: CommandName): void {
  const [first] = positionals;
  if (first !== undefined)
    throw argumentError(`${JSON.stringify(first)} is one argument too many`, command);
}

function unknownCommand(word: string): AppError {
  const nearest = nearestWord(word, COMMANDS);
  const hint = nearest === null ? `The commands are ${COMMANDS.join(", ")}` : didYouMean(nearest);
  return argumentError(`There is no command ${JSON.stringify(word)}. ${hint}`, null);
}
