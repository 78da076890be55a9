/**
 * Where a configuration sends keys, secrets and data, and who chose that. A run folder may come from a stranger, so destinations
 * that only it names get none of the user's data.
 */

import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import {
  type CommandServer,
  environmentNames,
  environmentServer,
  environmentsOn,
  hasAgent,
  headerVariable,
} from "../config/fields/environmentServers.ts";
import { isLocalModel } from "../config/fields/presets.ts";
import type { Config, EnvironmentConfig, NotifyConfig } from "../config/fields/schema.ts";
import { AppError } from "../errors.ts";
import { withoutEnd } from "../util/textEdges.ts";
import type { AllowedOrigin } from "./hostBinding.ts";

/** Configuration keys that hold a service's address. */
const ADDRESS_KEYS = ["tinker_base_url", "openreward_base_url"] as const;

type AgentConfig = NonNullable<EnvironmentConfig["agent"]>;
type AddressKey = (typeof ADDRESS_KEYS)[number];

/** The addresses of the official services. */
export type OfficialAddresses = Readonly<Record<AddressKey, string>>;

export interface Destinations {
  /** The addresses of the hosted services in use; null = the official one, or the one from the user's variables. */
  readonly addresses: Readonly<Partial<Record<AddressKey, string | null>>>;
  /** Environments by name, each with the names of the secrets it gets, upper-case and sorted. */
  readonly environments: Readonly<Record<string, readonly string[]>>;
  /**
   * Environments with their own server or file: the server's address, the command that starts it (as {@link commandText}), or the
   * path of a dataset's questions. Under the name plus `(agent)`, the command of the agent.
   */
  readonly servers?: Readonly<Record<string, string>> | undefined;
  /** Where messages about the run are sent: an address, a variable that holds one, or a command as a JSON list. */
  readonly notify?: readonly string[] | undefined;
}

/**
 * Everything that determines what a command runs, as a JSON list: the command, its folder, and variables with literal values,
 * some of which load other code (`PYTHONPATH`, `LD_PRELOAD`).
 */
function commandText({
  command,
  cwd,
  env,
}: Pick<CommandServer, "command" | "cwd" | "env">): string {
  const written = Object.entries(env ?? {}).filter(([, value]) => value !== null);
  const variables = written.map(([name, value]) => `${name}=${value}`).sort();
  return JSON.stringify([
    ...command,
    ...(cwd === null ? [] : [`(in ${cwd})`]),
    ...(variables.length === 0 ? [] : [`(with ${variables.join(" ")})`]),
  ]);
}

/** The same for an agent, including the command that grades it. */
function agentText({ command, reward_command, env }: AgentConfig): string {
  const grader = reward_command === null ? [] : [`(graded by ${JSON.stringify(reward_command)})`];
  return commandText({ command: [...command, ...grader], cwd: null, env });
}

/** What every user chooses by starting the program: the official services, without any environment. */
export const OFFICIAL_SERVICES: Destinations = {
  addresses: { tinker_base_url: null, openreward_base_url: null },
  environments: {},
};

/** Bundled models and environments send nothing anywhere. */
export function destinationsOf(
  config: Pick<
    Config,
    | "model_name"
    | "tinker_base_url"
    | "openreward_base_url"
    | "environments"
    | "evaluation"
    | "secrets"
    | "notify"
  >,
): Destinations {
  const { model_name, tinker_base_url, openreward_base_url, secrets } = config;
  const others = environmentNames(config).filter(
    (name) => !name.startsWith("local/") || hasAgent(config, name),
  );
  const environments = others.map((name) => {
    const own = config.environments[name];
    const { headers, env } = own?.server ?? {};
    const lookedUp = [
      ...Object.entries(own?.agent?.env ?? {}).flatMap(([key, value]) =>
        value === null ? [key] : [],
      ),
      ...Object.entries({ ...secrets, ...own?.secrets }).flatMap(([key, value]) =>
        value === "" ? [] : [key.toUpperCase()],
      ),
      ...Object.keys(headers ?? {}).map(headerVariable),
      ...Object.entries(env ?? {}).flatMap(([key, value]) => (value === null ? [key] : [])),
    ];
    return [name, [...new Set(lookedUp)].sort()] as const;
  });
  const agents = environmentNames(config).flatMap((name) => {
    const agent = config.environments[name]?.agent ?? null;
    return agent === null ? [] : [[`${name} (agent)`, agentText(agent)] as const];
  });
  const ownServers = environmentNames(config).flatMap((name) => {
    const tasks = config.environments[name]?.tasks ?? null;
    if (tasks !== null) return [[name, tasks] as const];
    const server = environmentServer(config, name);
    if (server.kind === "address") return [[name, server.url] as const];
    return server.kind === "command" ? [[name, commandText(server)] as const] : [];
  });
  const servers = [...ownServers, ...agents];
  return {
    addresses: withoutUndefined({
      tinker_base_url: isLocalModel(model_name) ? undefined : tinker_base_url,
      openreward_base_url:
        environmentsOn(config, "shared").length > 0 ? openreward_base_url : undefined,
    }),
    environments: Object.fromEntries(environments),
    servers: servers.length === 0 ? undefined : Object.fromEntries(servers),
    notify: config.notify.length === 0 ? undefined : config.notify.map(notifyTarget),
  };
}

function notifyTarget({ webhook, webhook_variable, command }: NotifyConfig): string {
  return webhook ?? webhook_variable ?? JSON.stringify(command);
}

export interface Naming {
  /** Destinations that the user has chosen: in a configuration, or when one of the user's trainers began the run. */
  readonly named: readonly Destinations[];
  /** Origins that the user has allowed, for everything or for a single secret. */
  readonly allowedOrigins: readonly AllowedOrigin[];
  readonly official: OfficialAddresses;
  /** The folder that names the other destinations, for messages. */
  readonly folder: string;
  /** Advice as sentences, given the origins in question. */
  readonly advice: (origins: readonly string[]) => string;
}

/** A destination that the user has not chosen. */
interface Unnamed {
  /** As shown in messages. */
  readonly text: string;
  readonly origin: string;
  /** The secret's name; null = an address or an environment. */
  readonly secret: string | null;
}

/**
 * Rejects destinations that only a run folder names. Returns a sentence for each one that is accepted only because of {@link
 * Naming.allowedOrigins}.
 * @throws AppError `run-destination` with `data.origins`
 */
export function requireNamed(wanted: Destinations, naming: Naming): readonly string[] {
  const { allowedOrigins, folder, advice } = naming;
  const isAllowed = ({ origin, secret }: Unnamed): boolean =>
    allowedOrigins.some((each) => each.origin === origin && (each.key ?? secret) === secret);
  const unnamed = unnamedOf(wanted, naming);
  const refused = unnamed.filter((each) => !isAllowed(each));
  const [first] = refused;
  if (first === undefined) {
    return unnamed.map(({ text, origin }) => `Only ${folder} names ${text}; ${origin} is allowed.`);
  }
  const origins = [...new Set(refused.map(({ origin }) => origin))];
  const texts = refused.map(({ text }) => text).join(", ");
  throw new AppError(
    "run-destination",
    `Nothing was sent: only ${folder} names ${texts}. ${advice(origins)}`,
    { data: { origins } },
  );
}

function unnamedOf(
  { addresses, environments, servers = {}, notify = [] }: Destinations,
  { named, official }: Naming,
): readonly Unnamed[] {
  const unnamedAddresses = ADDRESS_KEYS.flatMap((key): readonly Unnamed[] => {
    const url = addresses[key];
    if (url === undefined || named.some((each) => isSameAddress(each.addresses[key], url)))
      return [];
    const shown = url ?? official[key];
    return [{ text: `${key} ${shown}`, origin: originOf(shown), secret: null }];
  });
  const shared = originOf(addresses.openreward_base_url ?? official.openreward_base_url);
  const unnamedServers = Object.entries(servers).flatMap(([name, server]): readonly Unnamed[] => {
    if (named.some((each) => isSameAddress(each.servers?.[name], server))) return [];
    const text = `the ${kindOf(name, server)} ${server} of ${name}`;
    return [{ text, origin: originOf(server), secret: null }];
  });
  const ofEnvironments = Object.entries(environments).flatMap(([name, secrets]) => {
    const known = named.flatMap((each) =>
      Object.hasOwn(each.environments, name) ? [each.environments[name] ?? []] : [],
    );
    const origin = Object.hasOwn(servers, name) ? originOf(servers[name] ?? "") : shared;
    const texts: Unnamed[] =
      known.length > 0 ? [] : [{ text: `the environment ${name}`, origin, secret: null }];
    const unknown = secrets.filter((secret) => !known.some((names) => names.includes(secret)));
    return [
      ...texts,
      ...unknown.map((secret) => ({ text: `the secret ${secret} for ${name}`, origin, secret })),
    ];
  });
  const targets = notify.filter((target) => !named.some((each) => each.notify?.includes(target)));
  const unnamedTargets = targets.map((target): Unnamed => {
    return { text: `${target} under notify`, origin: originOf(target), secret: null };
  });
  return [...unnamedAddresses, ...unnamedServers, ...ofEnvironments, ...unnamedTargets];
}

function kindOf(environment: string, server: string): "file" | "command" | "server" {
  if (server.startsWith("[")) return "command";
  return environment.startsWith("local/") ? "file" : "server";
}

function isSameAddress(one: string | null | undefined, other: string | null): boolean {
  if (one === undefined) return false;
  return one === other || (one !== null && other !== null && plain(one) === plain(other));
}

function plain(url: string): string {
  return withoutEnd(URL.canParse(url) ? new URL(url).href : url, /\//);
}

/** Text that is not an address has no origin that could be allowed, and is returned as is. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
