/** Understands the command line: which command, with which values, or one clear line about what is wrong. */

import type { AppError } from "../core/errors.ts";
import { nearestWord } from "../core/util/editDistance.ts";
import {
  type CommandName,
  didYouMean,
  FLAGS,
  fault,
  type Given,
  NO_COMMAND_FLAGS,
  readFlags,
} from "./flags.ts";

/** Settings over those of a configuration file, each as `key=value`. */
interface WithOverrides {
  readonly overrides: readonly string[];
}

export interface TrainCommand extends WithOverrides {
  readonly kind: "train";
  readonly configPath: string;
  /** Hosts that a `.env` file may lead keys from elsewhere to. */
  readonly allowedHosts: readonly string[];
}

export interface ResumeCommand extends WithOverrides {
  readonly kind: "resume";
  readonly folder: string;
  readonly allowedHosts: readonly string[];
}

export interface ValidateCommand extends WithOverrides {
  readonly kind: "validate";
  readonly configPath: string;
}

export interface RunsCommand {
  readonly kind: "runs";
  /** A folder of runs or of a project, or a configuration; null = the working directory. */
  readonly place: string | null;
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

export interface ServeCommand {
  readonly kind: "serve";
  /** 0 = any free port. */
  readonly tinkerPort: number;
  readonly environmentsPort: number;
  /** Folder for checkpoints; null = the user's common store. */
  readonly store: string | null;
}

export type Command =
  | { readonly kind: "help"; readonly topic: CommandName | null }
  | { readonly kind: "version" }
  | TrainCommand
  | ResumeCommand
  | ValidateCommand
  | RunsCommand
  | ShowCommand
  | ServeCommand;

const COMMANDS: readonly CommandName[] = ["train", "resume", "validate", "runs", "show", "serve"];

/** Names that are taken for a configuration wherever a folder could stand, too. */
export const CONFIG_FILE = /\.(ya?ml|json)$/i;

/** @throws AppError `bad-arguments` with one line that names the fault and the next step. */
export function parseArguments(args: readonly string[]): Command {
  const [first] = args;
  if (first === undefined) return { kind: "help", topic: null };
  const name = COMMANDS.find((command) => command === first);
  if (name !== undefined) return parseCommand(name, readFlags(args.slice(1), FLAGS[name], name));
  if (!first.startsWith("-") && !CONFIG_FILE.test(first)) throw unknownCommand(first);
  const given = readFlags(args, NO_COMMAND_FLAGS, null);
  if (given.switches.has("version")) return { kind: "version" };
  if (given.switches.has("help")) return { kind: "help", topic: null };
  return parseCommand("train", given);
}

function parseCommand(name: CommandName, given: Given): Command {
  if (given.switches.has("help")) return { kind: "help", topic: name };
  switch (name) {
    case "train":
      return { ...parseConfigCommand(given, "train"), allowedHosts: allowedHosts(given) };
    case "resume": {
      const folder = onlyPositional(given, name, "the run folder");
      const { overrides } = given;
      return { kind: "resume", folder, overrides, allowedHosts: allowedHosts(given) };
    }
    case "validate":
      return parseConfigCommand(given, "validate");
    case "runs":
      refuseFurther(given.positionals.slice(1), "runs");
      return { kind: "runs", place: given.positionals[0] ?? null };
    case "show":
      return parseShow(given);
    case "serve":
      return parseServe(given);
  }
}

function parseConfigCommand<Kind extends "train" | "validate">(given: Given, kind: Kind) {
  const { overrides } = given;
  const configPath = lastValue(given, "config_path");
  if (configPath === undefined) {
    return { kind, configPath: onlyPositional(given, kind, "the configuration file"), overrides };
  }
  refuseFurther(given.positionals, kind);
  return { kind, configPath, overrides };
}

function allowedHosts({ values }: Given): readonly string[] {
  return values.get("allow-host") ?? [];
}

function lastValue({ values }: Given, flag: string): string | undefined {
  return values.get(flag)?.at(-1);
}

function parseShow(given: Given): ShowCommand {
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
    throw fault("--group and --rollout need the --step they belong to", "show");
  }
  if (wantsEvaluation && (group !== null || wantsTokens)) {
    throw fault("--group and --tokens do not go with --eval, which has neither", "show");
  }
  if (!wantsEvaluation && rollout !== null && group === null) {
    throw fault("--rollout needs the --group it belongs to", "show");
  }
  if (wantsTokens && rollout === null) {
    throw fault("--tokens needs one rollout: --step, --group and --rollout", "show");
  }
  return show;
}

function parseServe(given: Given): ServeCommand {
  refuseFurther(given.positionals, "serve");
  return {
    kind: "serve",
    tinkerPort: numberOf(given, "serve", "tinker_port", 65_535) ?? 0,
    environmentsPort: numberOf(given, "serve", "environments_port", 65_535) ?? 0,
    store: lastValue(given, "store") ?? null,
  };
}

function numberOf(
  given: Given,
  command: CommandName,
  flag: string,
  most = Number.MAX_SAFE_INTEGER,
): number | null {
  const text = lastValue(given, flag);
  if (text === undefined) return null;
  const isNumber = /^\d+$/.test(text) && Number(text) <= most;
  if (isNumber) return Number(text);
  const range = most === Number.MAX_SAFE_INTEGER ? "" : ` from 0 to ${most}`;
  throw fault(`--${flag} is ${JSON.stringify(text)}, not a whole number${range}`, command);
}

function onlyPositional({ positionals }: Given, command: CommandName, what: string): string {
  const [only, ...further] = positionals;
  if (only === undefined) throw fault(`${command} needs ${what}`, command);
  refuseFurther(further, command);
  return only;
}

function refuseFurther(positionals: readonly string[], command: CommandName): void {
  const [first] = positionals;
  if (first !== undefined)
    throw fault(`${JSON.stringify(first)} is one argument too many`, command);
}

function unknownCommand(word: string): AppError {
  const nearest = nearestWord(word, COMMANDS);
  const hint = nearest === null ? `The commands are ${COMMANDS.join(", ")}` : didYouMean(nearest);
  return fault(`There is no command ${JSON.stringify(word)}. ${hint}`, null);
}
