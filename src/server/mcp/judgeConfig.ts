/** Whether an assistant may start a configuration. The file may come from a hostile repository or be written by the assistant itself. */

import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import {
  environmentNames,
  environmentServer,
  headerVariable,
} from "../../core/config/fields/environmentServers.ts";
import { shapeAt } from "../../core/config/fields/fields.ts";
import type { Config } from "../../core/config/fields/schema.ts";
import { runAtStep } from "../../core/config/rules/namedWeights.ts";
import { AppError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import { OWN_KEYS } from "../../core/secrets/keySource.ts";
import { SERVICES } from "../../core/services.ts";
import { isWithin } from "../../node/confinement.ts";
import { formatKey } from "../../shared/format.ts";
import { noSuchKey } from "./keyReference.ts";
import type { Permission } from "./permission.ts";

/** Values of these types can neither name a destination nor run code. */
const PLAIN_TYPES: ReadonlySet<string> = new Set(["integer", "number", "boolean", "enum"]);
/** Keys that affect what a budget is worth, where results are sent, or what is started. */
const KEPT_KEYS: ReadonlySet<string> = new Set([
  ...["prices", "fetch_prices", "wandb", "openreward_upload", "openreward_upload_evaluations"],
  ...["server", "agent", "secrets", "notify"],
]);
/** Limits that must not change while a run is in progress. */
const BUDGET_KEYS: ReadonlySet<string> = new Set(["max_cost_usd", "max_tokens_total", "max_hours"]);

/** Checks the paths of settings that override a file. @throws AppError `not-allowed`, or `bad-arguments` for an unknown key */
export function requirePlainSettings(
  paths: readonly (readonly string[])[],
  isUnderWay: boolean,
): void {
  for (const path of paths) {
    const isKept =
      path.some((part) => KEPT_KEYS.has(part)) || (isUnderWay && BUDGET_KEYS.has(path[0] ?? ""));
    const shape = shapeAt(path);
    if (shape === undefined) throw new AppError("bad-arguments", noSuchKey(formatKey(path)));
    if (!isKept && PLAIN_TYPES.has(shape.type)) continue;
    throw new AppError(
      "not-allowed",
      `${formatKey(path)} cannot be set here: only numbers, true or false, and words of a list can, and no budget of a run that is under way, price, server or upload. Ask the user to change the configuration.`,
      { configPath: formatKey(path) },
    );
  }
}

interface Judging {
  readonly root: string;
  readonly permission: Permission;
  /** The value of a variable set by a file in the workspace instead of by the user; null if there is none. */
  readonly fileValue: (name: string) => Promise<string | null>;
}

/** `path` is the configuration file. @throws AppError `not-allowed`, naming what the user would have to allow */
export async function judgeConfig(
  config: Config,
  path: string,
  { root, permission, fileValue }: Judging,
): Promise<void> {
  if (!permission.allowed.has("commands")) requireNoCommand(config);
  for (const [key, url] of addressesIn(config)) requireAllowed(key, url, permission);
  for (const [key, name] of lookUpsIn(config)) requireNoOwnKey(key, name, permission);
  for (const [key, name] of webhookVariablesIn(config)) {
    requireNamedSecret(key, name, permission);
    const url = await fileValue(name);
    // The trainer rejects an invalid address without displaying it.
    if (url !== null && URL.canParse(url)) requireAllowed(key, url, permission);
  }
  for (const [key, place] of placesIn(config)) await requireInside(key, place, { path, root });
}

function requireNoCommand(config: Config): void {
  const own = environmentNames(config).find(
    (name) => environmentServer(config, name).kind === "command",
  );
  const key = own === undefined ? commandIn(config, []) : ["environments", own, "server"];
  if (key === null) return;
  throw new AppError(
    "not-allowed",
    `${formatKey(key)} runs a program of its own, which the user has not allowed. Ask the user to start this configuration, or to add commands to --allow.`,
    { configPath: formatKey(key) },
  );
}

/** Path of the first `command` key at any depth. */
function commandIn(value: unknown, path: readonly string[]): readonly string[] | null {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = commandIn(item, [...path, String(index)]);
      if (found !== null) return found;
    }
    return null;
  }
  if (!isJsonObject(value)) return null;
  for (const [key, item] of Object.entries(value)) {
    const isCommand = key === "command" && item !== null;
    const found = isCommand ? [...path, key] : commandIn(item, [...path, key]);
    if (found !== null) return found;
  }
  return null;
}

/** All addresses, whatever their purpose. */
function addressesIn(value: unknown, path: readonly string[] = []): readonly Address[] {
  if (typeof value === "string") {
    return /^\s*https?:/i.test(value) ? [[formatKey(path), value.trim()]] : [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => addressesIn(item, [...path, String(index)]));
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => addressesIn(item, [...path, key]));
}

function webhookVariablesIn({ notify }: Config): readonly (readonly [key: string, name: string])[] {
  return notify.flatMap(({ webhook_variable: name }, index) =>
    name === null ? [] : [[`notify.${index}.webhook_variable`, name] as const],
  );
}

/** The trainer receives no other variables. */
function requireNamedSecret(key: string, name: string, { secrets }: Permission): void {
  if (secrets.includes(name)) return;
  throw new AppError(
    "not-allowed",
    `${key} sends messages to the address in ${name}, which the user has not allowed. Ask the user to start this configuration, or to add --allow-secret ${name}.`,
    { configPath: key },
  );
}

/** Headers and variables whose values are looked up, each with the name of the looked-up variable. */
function lookUpsIn({
  tinker_headers,
  environments,
}: Config): readonly (readonly [key: string, name: string])[] {
  const maps = [
    [["tinker_headers"], tinker_headers, true] as const,
    ...Object.entries(environments).flatMap(([name, { server, agent }]) => [
      [["environments", name, "server", "headers"], server?.headers, true] as const,
      [["environments", name, "server", "env"], server?.env, false] as const,
      [["environments", name, "agent", "env"], agent?.env, false] as const,
    ]),
  ];
  return maps.flatMap(([place, map, isHeaders]) =>
    Object.entries(map ?? {}).flatMap(([key, value]) => {
      const name = isHeaders ? headerVariable(key) : key;
      return value === null ? [[formatKey([...place, key]), name] as const] : [];
    }),
  );
}

/** The program's own keys are only for their services; a lookup could send one anywhere. */
function requireNoOwnKey(key: string, name: string, { secrets }: Permission): void {
  if (!OWN_KEYS.has(name) || secrets.includes(name)) return;
  throw new AppError(
    "not-allowed",
    `${key} would hand on ${name}, a key of this program, which the user has not allowed. Ask the user to start this configuration, or to add --allow-secret ${name}.`,
    { configPath: key },
  );
}

type Address = readonly [key: string, url: string];

function requireAllowed(key: string, url: string, { origins }: Permission): void {
  const official = [...SERVICES.tinker.urls, ...SERVICES.openreward.urls].map(originOf);
  const origin = originOf(url);
  if (official.includes(origin) || origins.some((each) => each.origin === origin)) return;
  throw new AppError(
    "not-allowed",
    `${key} leads to ${origin}, which the user has not allowed. Ask the user to start this configuration, or to add --allow-host ${origin}.`,
    { configPath: key },
  );
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

/** All files and folders that the configuration refers to. */
function placesIn(config: Config): readonly (readonly [key: string, place: string])[] {
  const { log_path, init_from, kl_reference, tokenizer_name, teacher, data, environments } = config;
  const all: readonly (readonly [string, string | null | undefined])[] = [
    ["log_path", log_path],
    ["init_from", init_from],
    ["kl_reference", kl_reference],
    ["tokenizer_name", tokenizer_name],
    ["teacher.checkpoint", teacher?.checkpoint],
    ...data.flatMap(({ path, run }, index) => [
      [`data.${index}.path`, path] as const,
      [`data.${index}.run`, run] as const,
    ]),
    ...Object.entries(environments).flatMap(([name, own]) => [
      [formatKey(["environments", name, "tasks"]), own.tasks] as const,
      [
        formatKey(["environments", name, "teacher", "checkpoint"]),
        own.teacher?.checkpoint,
      ] as const,
    ]),
  ];
  return all.flatMap(([key, place]) => {
    if (place == null || place.startsWith("tinker://")) return [];
    const places = [place, runAtStep(place)?.folder ?? []].flat();
    return places.map((each) => [key, each] as const);
  });
}

async function requireInside(
  key: string,
  place: string,
  { path, root }: { readonly path: string; readonly root: string },
): Promise<void> {
  const real = await realPlace(resolve(dirname(path), place));
  if (!place.startsWith("~") && isWithin(real, root)) return;
  throw new AppError(
    "not-allowed",
    `${key} leads out of the workspace. Ask the user to start this configuration, or to start this server with a --root that holds it.`,
    { configPath: key },
  );
}

/** Resolves links in the part of the path that exists. */
async function realPlace(place: string): Promise<string> {
  const found = await realpath(place).catch(() => null);
  if (found !== null || dirname(place) === place) return found ?? place;
  return join(await realPlace(dirname(place)), basename(place));
}
