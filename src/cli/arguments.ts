/** Understands the command line: which command, with which values, or one clear line about what is wrong. */

import { parseArgs } from "node:util";
import { AppError } from "../core/errors.ts";
import { nearestWord } from "../core/util/editDistance.ts";

export type CommandName = "train" | "resume" | "show" | "serve";

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
  | { readonly kind: "train"; readonly configPath: string }
  | { readonly kind: "resume"; readonly folder: string }
  | ShowCommand
  | ServeCommand;

type Flags = Readonly<
  Record<string, { readonly type: "string" | "boolean"; readonly short?: string }>
>;

const HELP: Flags = { help: { type: "boolean", short: "h" } };

const FLAGS: Readonly<Record<CommandName, Flags>> = {
  train: { ...HELP, config_path: { type: "string", short: "c" } },
  resume: HELP,
  show: {
    ...HELP,
    step: { type: "string" },
    group: { type: "string" },
    rollout: { type: "string" },
    tokens: { type: "boolean" },
    eval: { type: "boolean" },
  },
  serve: {
    ...HELP,
    tinker_port: { type: "string" },
    environments_port: { type: "string" },
    store: { type: "string" },
  },
};
const COMMANDS: readonly CommandName[] = ["train", "resume", "show", "serve"];
/** Without a command's name the flags of `train` hold, as in the original program. */
const NO_COMMAND_FLAGS: Flags = { ...FLAGS.train, version: { type: "boolean" } };

const CONFIG_FILE = /\.(ya?ml|json)$/i;

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

interface Given {
  readonly switches: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  readonly positionals: readonly string[];
}

function readFlags(args: readonly string[], flags: Flags, command: CommandName | null): Given {
  const { tokens } = parseArgs({
    args: [...args],
    options: flags,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const switches = new Set<string>();
  const values = new Map<string, string>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
    if (flag === undefined) throw unknownFlag(token.rawName, flags, command);
    if (flag.type === "string") values.set(token.name, readValue(token, command));
    else if (token.value === undefined) switches.add(token.name);
    else throw fault(`${token.rawName} takes no value`, command);
  }
  return { switches, values, positionals };
}

interface FlagToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** Another flag in the place of the value means that the value was forgotten. */
function readValue(
  { rawName, value, inlineValue }: FlagToken,
  command: CommandName | null,
): string {
  const isForgotten = inlineValue !== true && value?.startsWith("--") === true;
  if (value === undefined || isForgotten) throw fault(`${rawName} needs a value`, command);
  return value;
}

function parseCommand(name: CommandName, given: Given): Command {
  if (given.switches.has("help")) return { kind: "help", topic: name };
  switch (name) {
    case "train":
      return parseTrain(given);
    case "resume":
      return { kind: "resume", folder: onlyPositional(given, name, "the run folder") };
    case "show":
      return parseShow(given);
    case "serve":
      return parseServe(given);
  }
}

function parseTrain(given: Given): Command {
  const configPath = given.values.get("config_path");
  if (configPath === undefined) {
    return { kind: "train", configPath: onlyPositional(given, "train", "the configuration file") };
  }
  refuseFurther(given.positionals, "train");
  return { kind: "train", configPath };
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
    store: given.values.get("store") ?? null,
  };
}

function numberOf(
  given: Given,
  command: CommandName,
  flag: string,
  most = Number.MAX_SAFE_INTEGER,
): number | null {
  const text = given.values.get(flag);
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
  const hint = nearest === null ? `The commands are ${COMMANDS.join(", ")}` : meant(nearest);
  return fault(`There is no command ${JSON.stringify(word)}. ${hint}`, null);
}

function unknownFlag(rawName: string, flags: Flags, command: CommandName | null): AppError {
  const names = Object.keys(flags);
  const nearest = nearestWord(rawName.replace(/^-+/, ""), names);
  const known = names.map((name) => `--${name}`).join(", ");
  const hint = nearest === null ? `The flags are ${known}` : meant(`--${nearest}`);
  return fault(`There is no flag ${rawName}. ${hint}`, command);
}

function meant(word: string): string {
  return `Did you mean ${word}`;
}

function fault(problem: string, command: CommandName | null): AppError {
  const help = command === null ? "tinker-rl --help" : `tinker-rl ${command} --help`;
  const end = problem.includes("Did you mean") ? "?" : ".";
  return new AppError("bad-arguments", `${problem}${end} \`${help}\` tells more.`);
}
