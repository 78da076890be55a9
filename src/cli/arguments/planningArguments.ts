/** Parses the arguments of the planning commands and of the commands that serve other programs. */

import { ALLOWABLE } from "../../server/mcp/permission.ts";
import type { GivenArguments } from "./givenArguments.ts";

export type ValidateCommand = ReturnType<typeof validateCommand>;
export type EstimateCommand = ReturnType<typeof estimateCommand>;
export type ShowPromptCommand = ReturnType<typeof showPromptCommand>;
export type ModelsCommand = ReturnType<typeof modelsCommand>;
export type ServeCommand = ReturnType<typeof serveCommand>;
export type ServeModelCommand = ReturnType<typeof serveModelCommand>;
export type McpCommand = ReturnType<typeof mcpCommand>;

export function validateCommand(given: GivenArguments) {
  return {
    kind: "validate" as const,
    configPath: given.configPath(),
    overrides: given.overrides,
    wantsJson: given.has("json"),
  };
}

export function estimateCommand(given: GivenArguments) {
  const groups = given.number("groups", { least: 1 });
  const from = given.text("from");
  if (groups !== null && from !== null) {
    throw given.error("--groups samples new groups and --from reads a past run: use one of them");
  }
  return {
    kind: "estimate" as const,
    configPath: given.configPath(),
    overrides: given.overrides,
    /** Groups to play per environment; null = none if a past run can be used. */
    groups,
    /** Folder of a past run; null = the newest match. */
    from,
    /** Each `key=value,value`; empty = a single run. */
    grid: given.texts("grid"),
    /** True if groups may be played even if they cost money. */
    isConfirmed: given.has("yes"),
    wantsJson: given.has("json"),
    allowedOrigins: given.allowedOrigins(),
  };
}

export function showPromptCommand(given: GivenArguments) {
  return {
    kind: "show-prompt" as const,
    configPath: given.configPath(),
    overrides: given.overrides,
    allowedOrigins: given.allowedOrigins(),
    /** Null = the first environment in the configuration that has the split. */
    environment: given.text("environment"),
    /** Null = the environment's first split. */
    split: given.text("split"),
    /** Index in the split, from 0. */
    task: given.number("task") ?? 0,
    wantsIds: given.has("ids"),
  };
}

export function modelsCommand(given: GivenArguments) {
  given.refuseFurther();
  return {
    kind: "models" as const,
    allowedOrigins: given.allowedOrigins(),
    wantsJson: given.has("json"),
  };
}

export function serveCommand(given: GivenArguments) {
  given.refuseFurther();
  return {
    kind: "serve" as const,
    tinkerPort: given.port("tinker_port"),
    environmentsPort: given.port("environments_port"),
    /** Maximum number of concurrent environment sessions, at least 1; null = no limit. */
    maxSessions: given.number("max_sessions", { least: 1 }),
    /** Checkpoint folder; null = the user's shared store. */
    store: given.text("store"),
    /** Serves random weights under this model name, with its tokenizer; null = the bundled model. */
    random: randomModel(given),
  };
}

function randomModel(given: GivenArguments) {
  const [model, tokenizer] = [given.text("model"), given.text("tokenizer")];
  if (model === null && tokenizer === null) return null;
  if (model !== null && tokenizer !== null) return { model, tokenizer };
  const [there, missing] = model === null ? ["tokenizer", "model"] : ["model", "tokenizer"];
  throw given.error(`--${there} serves random weights and needs --${missing}`);
}

export function serveModelCommand(given: GivenArguments) {
  return {
    kind: "serve-model" as const,
    target: given.only("a checkpoint, a run folder, a model or base"),
    /** Null = the run's, or the defaults. */
    configPath: given.text("config_path"),
    overrides: given.overrides,
    port: given.port(),
    allowedOrigins: given.allowedOrigins(),
  };
}

/** Programs for which an entry can be written. */
const CLIENTS = ["claude", "codex", "cursor", "vscode"] as const;

export type McpClient = (typeof CLIENTS)[number];

export function mcpCommand(given: GivenArguments) {
  given.refuseFurther();
  const words = given.texts("allow").flatMap((text) => text.split(","));
  const client = given.text("install");
  return {
    kind: "mcp" as const,
    /** Null = the working directory. */
    root: given.text("root"),
    permission: {
      allowed: new Set(
        words.filter((word) => word !== "").map((word) => given.oneOf("allow", ALLOWABLE, word)),
      ),
      maxUsd: maxUsd(given),
      origins: given.allowedOrigins(),
      secrets: given
        .texts("allow-secret")
        .flatMap((text) => text.split(",").map((name) => name.toUpperCase())),
    },
    /** The program to write an entry for; null = serve. */
    client: client === null ? null : given.oneOf("install", CLIENTS, client),
  };
}

function maxUsd(given: GivenArguments): number {
  const text = given.text("max-usd") ?? "0";
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw given.error(`--max-usd is ${JSON.stringify(text)}, not an amount such as 5`);
}
