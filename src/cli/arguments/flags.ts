/** Splits the words of a command line into flags, values, overrides of configuration keys and the rest. */

import { parseArgs } from "node:util";
import { configFields, shapeAt } from "../../core/config/fields/fields.ts";
import { AppError } from "../../core/errors.ts";
import { nearestWord } from "../../core/util/editDistance.ts";

export type CommandName =
  | "train"
  | "resume"
  | "evaluate"
  | "sweep"
  | "control"
  | "validate"
  | "estimate"
  | "show-prompt"
  | "runs"
  | "show"
  | "search"
  | "report"
  | "export"
  | "collect"
  | "models"
  | "chat"
  | "checkpoints"
  | "env"
  | "serve"
  | "serve-model"
  | "view"
  | "mcp"
  | "lsp";

type Flags = Readonly<
  Record<string, { readonly type: "string" | "boolean"; readonly short?: string }>
>;

/** The words of a command line by kind, before a command interprets them. */
export interface ParsedFlags {
  readonly switches: ReadonlySet<string>;
  /** In the order given. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** `key=value` each: what follows `--overrides`, and flags that are configuration keys. */
  readonly overrides: readonly string[];
  readonly positionals: readonly string[];
}

const HELP: Flags = { help: { type: "boolean", short: "h" } };
const CONFIG: Flags = {
  ...HELP,
  config_path: { type: "string", short: "c" },
  overrides: { type: "string" },
};
const STARTING: Flags = { "allow-host": { type: "string" } };

export const FLAGS: Readonly<Record<CommandName, Flags>> = {
  train: {
    ...CONFIG,
    ...STARTING,
    dry_run: { type: "boolean" },
    groups: { type: "string" },
    keep: { type: "boolean" },
  },
  resume: { ...CONFIG, ...STARTING },
  evaluate: {
    ...CONFIG,
    ...STARTING,
    splits: { type: "string" },
    num_samples: { type: "string" },
    rollouts_per_task: { type: "string" },
    temperature: { type: "string" },
    json: { type: "boolean" },
  },
  sweep: {
    ...CONFIG,
    ...STARTING,
    grid: { type: "string" },
    parallel: { type: "string" },
    "retry-failed": { type: "boolean" },
    show: { type: "boolean" },
    json: { type: "boolean" },
    yes: { type: "boolean" },
  },
  control: HELP,
  validate: { ...CONFIG, json: { type: "boolean" } },
  estimate: {
    ...CONFIG,
    ...STARTING,
    groups: { type: "string" },
    from: { type: "string" },
    json: { type: "boolean" },
    yes: { type: "boolean" },
  },
  "show-prompt": {
    ...CONFIG,
    ...STARTING,
    environment: { type: "string" },
    split: { type: "string" },
    task: { type: "string" },
    ids: { type: "boolean" },
  },
  runs: { ...HELP, json: { type: "boolean" } },
  show: {
    ...HELP,
    ...STARTING,
    step: { type: "string" },
    group: { type: "string" },
    rollout: { type: "string" },
    tokens: { type: "boolean" },
    eval: { type: "boolean" },
    tasks: { type: "boolean" },
    billed: { type: "boolean" },
    json: { type: "boolean" },
  },
  search: {
    ...HELP,
    regex: { type: "boolean" },
    role: { type: "string" },
    "ignore-case": { type: "boolean", short: "i" },
    limit: { type: "string" },
    json: { type: "boolean" },
  },
  report: { ...HELP, format: { type: "string" }, output: { type: "string" } },
  models: { ...HELP, ...STARTING },
  chat: {
    ...HELP,
    ...STARTING,
    config_path: { type: "string", short: "c" },
    overrides: { type: "string" },
    environment: { type: "string" },
    split: { type: "string" },
    task: { type: "string" },
    step: { type: "string" },
    group: { type: "string" },
    rollout: { type: "string" },
    turn: { type: "string" },
    eval: { type: "boolean" },
    replay: { type: "boolean" },
    beside: { type: "string" },
    system: { type: "string" },
    temperature: { type: "string" },
    seed: { type: "string" },
    max_tokens: { type: "string" },
    samples: { type: "string" },
    json: { type: "boolean" },
  },
  export: {
    ...HELP,
    where: { type: "string" },
    starred: { type: "boolean" },
    tag: { type: "string" },
    max_per_task: { type: "string" },
    format: { type: "string" },
    output: { type: "string" },
    license: { type: "string" },
  },
  collect: {
    ...CONFIG,
    ...STARTING,
    samples: { type: "string" },
    tasks: { type: "string" },
    where: { type: "string" },
    max_per_task: { type: "string" },
    format: { type: "string" },
    output: { type: "string" },
    license: { type: "string" },
  },
  checkpoints: {
    ...HELP,
    local: { type: "boolean" },
    output: { type: "string" },
    name: { type: "string" },
    for: { type: "string" },
    base: { type: "string" },
    "drop-unembed": { type: "boolean" },
    json: { type: "boolean" },
    ...STARTING,
  },
  env: {
    ...CONFIG,
    ...STARTING,
    template: { type: "string" },
    venv: { type: "boolean" },
    "no-venv": { type: "boolean" },
    url: { type: "string" },
    split: { type: "string" },
    task: { type: "string" },
    tasks: { type: "string" },
    player: { type: "string" },
    agent: { type: "boolean" },
    model: { type: "string" },
    key: { type: "string" },
    groups: { type: "string" },
    group_size: { type: "string" },
    "no-save": { type: "boolean" },
    output: { type: "string" },
    seed: { type: "string" },
    json: { type: "boolean" },
  },
  serve: {
    ...HELP,
    tinker_port: { type: "string" },
    environments_port: { type: "string" },
    max_sessions: { type: "string" },
    store: { type: "string" },
    model: { type: "string" },
    tokenizer: { type: "string" },
  },
  "serve-model": { ...CONFIG, ...STARTING, port: { type: "string" } },
  view: { ...HELP, port: { type: "string" } },
  mcp: {
    ...HELP,
    ...STARTING,
    root: { type: "string" },
    allow: { type: "string" },
    "max-usd": { type: "string" },
    "allow-secret": { type: "string" },
    install: { type: "string" },
  },
  // Editors pass the name of the transport; there is no other one.
  lsp: { ...HELP, stdio: { type: "boolean" } },
};
/** Without a command's name the flags of `train` hold, as in the original program. */
export const NO_COMMAND_FLAGS: Flags = { ...FLAGS.train, version: { type: "boolean" } };

interface FlagToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** The flags that hold, and the command for messages. */
interface Rules {
  readonly flags: Flags;
  readonly command: CommandName | null;
}

/** Names that count as a configuration file where a command also takes other arguments. */
export const CONFIG_FILE = /\.(ya?ml|json)$/i;

/**
 * A flag's value may follow it or be joined to it with `=`, and so may that of a configuration key. After `--overrides` every `key=value` up to the next flag is one.
 * @throws AppError `bad-arguments`
 */
export function readFlags(
  args: readonly string[],
  flags: Flags,
  command: CommandName | null,
): ParsedFlags {
  const { tokens } = parseArgs({
    args: joinKeyValues(args.map(configPathWord), { flags, command }),
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
    const meaning = readFlag(token, { flags, command });
    if (meaning.kind === "override") overrides.push(meaning.text);
    else if (meaning.kind === "switch") switches.add(name);
    else values.set(name, [...(values.get(name) ?? []), meaning.text]);
  }
  return { switches, values, overrides, positionals };
}

/** `--config` means `--config_path`, of which it is the beginning. */
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
  throw argumentError(`${rawName} takes no value`, rules.command);
}

/** Another flag in the place of the value means that the value was forgotten. */
function readValue({ rawName, value, inlineValue }: FlagToken, { command }: Rules): string {
  const isForgotten = inlineValue !== true && value?.startsWith("--") === true;
  if (value === undefined || isForgotten) throw argumentError(`${rawName} needs a value`, command);
  return value;
}

/** `--learning_rate 1e-4` becomes `--learning_rate=1e-4`, because the parser joins no value to a flag that it does not know. */
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
      throw argumentError(`${word} needs a value: ${word} VALUE`, rules.command);
    }
    joined.push(`${word}=${value}`);
  }
  return joined;
}

/** Settings are flags wherever overrides are. */
function isKey(name: string, flags: Flags): boolean {
  const key = /^\w*/.exec(name)?.[0] ?? "";
  return Object.hasOwn(flags, "overrides") && Object.hasOwn(configFields, key);
}

/** True when the word in the place of the value is another flag, or the configuration. */
function isForgotten(name: string, value: string): boolean {
  if (value.startsWith("-") && value !== "-") return !/^-\.?\d/.test(value);
  const type = shapeAt(name.split("."))?.type ?? "string";
  return CONFIG_FILE.test(value) && ["integer", "number", "boolean"].includes(type);
}

function keyOverride({ name, rawName, value }: FlagToken, { flags, command }: Rules): string {
  if (!isKey(name, flags)) throw unknownFlag(rawName, flags, command);
  return `${name}=${value ?? ""}`;
}

function unknownFlag(rawName: string, flags: Flags, command: CommandName | null): AppError {
  const names = Object.keys(flags);
  const keys = Object.hasOwn(flags, "overrides") ? Object.keys(configFields) : [];
  const name = /^\w[\w-]*/.exec(rawName.replace(/^-+/, ""))?.[0] ?? "";
  const nearest = nearestWord(name, [...names, ...keys]);
  const known = names.map((each) => `--${each}`).join(", ");
  const hint = nearest === null ? `The flags are ${known}` : didYouMean(`--${nearest}`);
  return argumentError(`Unknown flag ${rawName}. ${hint}`, command);
}

export function didYouMean(word: string): string {
  return `Did you mean ${word}`;
}

/** One line about `problem`, with the command that prints the help. */
export function argumentError(problem: string, command: CommandName | null): AppError {
  const help = command === null ? "tinker-rl --help" : `tinker-rl ${command} --help`;
  const end = problem.includes("Did you mean") ? "?" : ".";
  return new AppError("bad-arguments", `${problem}${end} \`${help}\` explains the command line.`);
}
