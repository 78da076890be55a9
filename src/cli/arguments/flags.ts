/** Splits command line words into flags, values, configuration overrides and positionals. */

import { parseArgs } from "node:util";
import { configFields, shapeAt } from "../../core/config/fields/fields.ts";
import { AppError } from "../../core/errors.ts";
import { nearestWord } from "../../shared/editDistance.ts";
import { commandLine, type Invocation } from "../terminal/invocation.ts";

type Flags = Readonly<
  Record<string, { readonly type: "string" | "boolean"; readonly short?: string }>
>;

/** Command line words by kind, before a command interprets them. */
export interface ParsedFlags {
  readonly switches: ReadonlySet<string>;
  /** In the order given. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Each `key=value`: the values of `--overrides`, and flags that are configuration keys. */
  readonly overrides: readonly string[];
  readonly positionals: readonly string[];
}

/** Flags with a value. */
function valued(...names: readonly string[]): Flags {
  return Object.fromEntries(names.map((name) => [name, { type: "string" }]));
}

function switches(...names: readonly string[]): Flags {
  return Object.fromEntries(names.map((name) => [name, { type: "boolean" }]));
}

const HELP: Flags = { help: { type: "boolean", short: "h" } };
const CONFIG: Flags = {
  ...HELP,
  ...valued("overrides"),
  config_path: { type: "string", short: "c" },
};
const STARTING = valued("allow-host");

/** The flags of each command. */
export const FLAGS = {
  train: { ...CONFIG, ...STARTING, ...valued("groups"), ...switches("dry_run", "keep") },
  resume: { ...CONFIG, ...STARTING },
  evaluate: {
    ...CONFIG,
    ...STARTING,
    ...valued("splits", "num_samples", "rollouts_per_task", "temperature"),
    ...switches("json"),
  },
  sweep: {
    ...CONFIG,
    ...STARTING,
    ...valued("grid", "halve", "parallel"),
    ...switches("retry-failed", "show", "json", "yes"),
  },
  control: { ...HELP, ...switches("json") },
  validate: { ...CONFIG, ...switches("json") },
  estimate: {
    ...CONFIG,
    ...STARTING,
    ...valued("groups", "from", "grid"),
    ...switches("json", "yes"),
  },
  "show-prompt": {
    ...CONFIG,
    ...STARTING,
    ...valued("environment", "split", "task"),
    ...switches("ids"),
  },
  runs: { ...HELP, ...switches("json") },
  show: {
    ...HELP,
    ...STARTING,
    ...valued("step", "group", "rollout"),
    ...switches("tokens", "eval", "tasks", "billed", "json"),
  },
  search: {
    ...HELP,
    ...valued("role", "limit"),
    ...switches("regex", "json"),
    "ignore-case": { type: "boolean", short: "i" },
  },
  report: { ...HELP, ...valued("format", "output") },
  export: {
    ...HELP,
    ...valued("where", "tag", "max_per_task", "format", "output", "license"),
    ...switches("starred"),
  },
  collect: {
    ...CONFIG,
    ...STARTING,
    ...valued("samples", "tasks", "where", "max_per_task", "format", "output", "license"),
  },
  models: { ...HELP, ...STARTING, ...switches("json") },
  chat: {
    ...CONFIG,
    ...STARTING,
    ...valued(
      "environment",
      "split",
      "task",
      "step",
      "group",
      "rollout",
      "turn",
      "beside",
      "system",
      "temperature",
      "seed",
      "max_tokens",
      "samples",
    ),
    ...switches("eval", "replay", "json"),
  },
  checkpoints: {
    ...HELP,
    ...STARTING,
    ...valued("output", "name", "for", "base"),
    ...switches("local", "drop-unembed", "json"),
  },
  env: {
    ...CONFIG,
    ...STARTING,
    ...valued(
      "template",
      "url",
      "split",
      "task",
      "tasks",
      "player",
      "model",
      "key",
      "groups",
      "group_size",
      "output",
      "seed",
    ),
    ...switches("venv", "no-venv", "agent", "no-save", "json"),
  },
  serve: {
    ...HELP,
    ...valued("tinker_port", "environments_port", "max_sessions", "store", "model", "tokenizer"),
  },
  "serve-model": { ...CONFIG, ...STARTING, ...valued("port") },
  view: { ...HELP, ...valued("port") },
  mcp: { ...HELP, ...STARTING, ...valued("root", "allow", "max-usd", "allow-secret", "install") },
  // Editors pass the transport's name; there is only one.
  lsp: { ...HELP, ...switches("stdio") },
} satisfies Readonly<Record<string, Flags>>;

export type CommandName = keyof typeof FLAGS;

/** Without a command name, the flags of `train` apply, as in the original program. */
export const NO_COMMAND_FLAGS: Flags = { ...FLAGS.train, ...switches("version") };

interface FlagToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** For command line errors: the command (null before it is known), and how the user calls the program. */
export interface HelpCall {
  readonly command: CommandName | null;
  readonly invocation: Pick<Invocation, "program">;
}

/** The flags that apply, and the call for messages. */
interface Rules extends HelpCall {
  readonly flags: Flags;
}

/** Recognizes configuration files in commands that also accept other arguments. */
export const CONFIG_FILE = /\.(ya?ml|json)$/i;

/**
 * Values of flags and of configuration keys may follow as a separate word or after `=`. After `--overrides`, every `key=value` up to the
 * next flag is an override.
 * @throws AppError `bad-arguments`
 */
export function readFlags(args: readonly string[], flags: Flags, call: HelpCall): ParsedFlags {
  const rules = { flags, ...call };
  const { tokens } = parseArgs({
    args: joinKeyValues(args.map(configPathWord), rules),
    options: flags,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const switches = new Set<string>();
  const values = new Map<string, readonly string[]>();
  const overrides: string[] = [];
  const positionals: string[] = [];
  let takesOverrides = false;
  for (const token of tokens) {
    if (token.kind === "positional") {
      const isOverride = takesOverrides && token.value.includes("=");
      (isOverride ? overrides : positionals).push(token.value);
    }
    if (token.kind !== "option") continue;
    const { name } = token;
    takesOverrides = name === "overrides";
    const meaning = readFlag(token, rules);
    if (meaning.kind === "override") overrides.push(meaning.text);
    else if (meaning.kind === "switch") switches.add(name);
    else values.set(name, [...(values.get(name) ?? []), meaning.text]);
  }
  refuseEmpty(positionals, call);
  return { switches, values, overrides, positionals };
}

/** Rejects empty paths, which would mean the working directory and thus possibly another run. @throws AppError `bad-arguments` */
function refuseEmpty(positionals: readonly string[], call: HelpCall): void {
  if (!positionals.includes("")) return;
  throw argumentError("An argument is empty: a variable in it may not be set", call);
}

/** Expands the abbreviation `--config` to `--config_path`. */
function configPathWord(word: string): string {
  return word.replace(/^--config(?==|$)/, "--config_path");
}

type Meaning =
  | { readonly kind: "switch" }
  | { readonly kind: "value" | "override"; readonly text: string };

function readFlag(token: FlagToken, rules: Rules): Meaning {
  const { name, rawName, value } = token;
  const flag = Object.hasOwn(rules.flags, name) ? rules.flags[name] : undefined;
  if (flag === undefined) return { kind: "override", text: keyOverride(token, rules) };
  if (flag.type === "string") {
    return { kind: name === "overrides" ? "override" : "value", text: readValue(token, rules) };
  }
  if (value === undefined) return { kind: "switch" };
  throw argumentError(`${rawName} takes no value`, rules);
}

/** No system text, no permission, no override. An empty path would mean the working directory. */
const MAY_BE_EMPTY: readonly string[] = ["system", "allow", "overrides"];

/** If another flag follows directly, the value was forgotten. */
function readValue({ name, rawName, value, inlineValue }: FlagToken, rules: Rules): string {
  const isForgotten = inlineValue !== true && value?.startsWith("--") === true;
  if (value === "" && !MAY_BE_EMPTY.includes(name)) {
    throw argumentError(`The value of ${rawName} is empty: a variable in it may not be set`, rules);
  }
  if (value === undefined || isForgotten) throw argumentError(`${rawName} needs a value`, rules);
  return value;
}

/** Turns `--learning_rate 1e-4` into `--learning_rate=1e-4`, because the parser attaches no values to unknown flags. */
function joinKeyValues(args: readonly string[], rules: Rules): string[] {
  const joined: string[] = [];
  for (let i = 0; i < args.length; i += 1) {
    const word = args[i] ?? "";
    if (word === "--") return [...joined, ...args.slice(i)];
    const name = word.startsWith("--") && !word.includes("=") ? word.slice(2) : "";
    if (Object.hasOwn(rules.flags, name) || !isKey(name, rules.flags)) {
      joined.push(word);
      continue;
    }
    i += 1;
    const value = args[i];
    if (value === undefined || isForgotten(name, value)) {
      throw argumentError(`${word} needs a value: ${word} VALUE`, rules);
    }
    joined.push(`${word}=${value}`);
  }
  return joined;
}

/** Configuration keys are accepted as flags wherever `--overrides` is. */
function isKey(name: string, flags: Flags): boolean {
  const key = /^\w*/.exec(name)?.[0] ?? "";
  return Object.hasOwn(flags, "overrides") && Object.hasOwn(configFields, key);
}

/** True if the word in place of the value is another flag or the configuration file. */
function isForgotten(name: string, value: string): boolean {
  if (value.startsWith("-") && value !== "-") return !/^-\.?\d/.test(value);
  const type = shapeAt(name.split("."))?.type ?? "string";
  return CONFIG_FILE.test(value) && ["integer", "number", "boolean"].includes(type);
}

function keyOverride({ name, rawName, value }: FlagToken, rules: Rules): string {
  if (!isKey(name, rules.flags)) throw unknownFlag(rawName, rules);
  return `${name}=${value ?? ""}`;
}

function unknownFlag(rawName: string, rules: Rules): AppError {
  const { flags } = rules;
  const names = Object.keys(flags);
  const keys = Object.hasOwn(flags, "overrides") ? Object.keys(configFields) : [];
  const name = /^\w[\w-]*/.exec(rawName.replace(/^-+/, ""))?.[0] ?? "";
  const nearest = nearestWord(name, [...names, ...keys]);
  const known = names.map((each) => `--${each}`).join(", ");
  const hint = nearest === null ? `The flags are ${known}` : didYouMean(`--${nearest}`);
  return argumentError(`Unknown flag ${rawName}. ${hint}`, rules);
}

export function didYouMean(word: string): string {
  return `Did you mean ${word}`;
}

/** A one-line error about `problem` that refers to the help command. */
export function argumentError(problem: string, { command, invocation }: HelpCall): AppError {
  const help = commandLine(invocation, ...(command === null ? [] : [command]), "--help");
  const end = problem.includes("Did you mean") ? "?" : ".";
  return new AppError("bad-arguments", `${problem}${end} \`${help}\` explains the command line.`);
}
