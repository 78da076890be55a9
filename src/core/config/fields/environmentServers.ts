/** Determines which server each environment of a configuration uses. */

import type { KeyPath } from "../source/keyPath.ts";
import { shapeAt } from "./fields.ts";
import type { Config, EnvironmentConfig } from "./schema.ts";

/** The address that a command's secrets are bound to, whatever port it listens on. */
export const THIS_COMPUTER = "http://127.0.0.1";

type ServerConfig = NonNullable<EnvironmentConfig["server"]>;

/** An environment's own server, started by the trainer. */
export interface CommandServer extends Omit<ServerConfig, "command"> {
  readonly kind: "command";
  readonly command: readonly string[];
}

/** An environment's own server at an address. */
export interface AddressServer extends Omit<ServerConfig, "url"> {
  readonly kind: "address";
  readonly url: string;
}

/** `shared` is the server at `openreward_base_url`, by default OpenReward. */
export type ServerChoice =
  | { readonly kind: "embedded" }
  | { readonly kind: "shared" }
  | AddressServer
  | CommandServer;

/** Placeholders in a bridge's command: the Python that has the library, and the bridge program. */
export const BRIDGE_PARTS = { python: "{python}", program: "{bridge}" } as const;
/** The environment's name on a bridge's server. */
const BRIDGED = "bridged";

/** Includes everything that determines what is started, because a run folder is trusted for exactly this command. */
function bridgeCommand({ id, args, python }: ServerConfig, library: string): readonly string[] {
  const { python: usual, program } = BRIDGE_PARTS;
  return [python ?? usual, program, library, id ?? "", JSON.stringify(args ?? {})];
}

export function environmentServer(
  { environments }: Pick<Config, "environments">,
  name: string,
): ServerChoice {
  if (name.startsWith("local/")) return { kind: "embedded" };
  const server = environments[name]?.server ?? null;
  if (server === null) return { kind: "shared" };
  const { bridge, command, url } = server;
  if (bridge !== null) {
    const environment = server.environment ?? BRIDGED;
    return { ...server, kind: "command", command: bridgeCommand(server, bridge), environment };
  }
  if (command !== null) return { ...server, kind: "command", command };
  return url === null ? { kind: "shared" } : { ...server, kind: "address", url };
}

/** All environments without duplicates, including those of evaluations. */
export function environmentNames({
  environments,
  evaluation,
}: Pick<Config, "environments" | "evaluation">): readonly string[] {
  return [...new Set([...Object.keys(environments), ...Object.keys(evaluation?.splits ?? {})])];
}

/** A key that is equal for environments that share a server. */
export function serverKey(server: ServerChoice): string {
  return JSON.stringify("environment" in server ? { ...server, environment: null } : server);
}

/** The first environment that shares the server of `name`. The server is started and its output kept under that name. */
export function serverOwner(
  config: Pick<Config, "environments" | "evaluation">,
  name: string,
): string {
  const placeOf = (each: string): string => serverKey(environmentServer(config, each));
  const place = placeOf(name);
  return environmentNames(config).find((each) => placeOf(each) === place) ?? name;
}

/** True when an agent plays the environment. */
export function hasAgent({ environments }: Pick<Config, "environments">, name: string): boolean {
  return (environments[name]?.agent ?? null) !== null;
}

/** The environments on servers of the given kind. */
export function environmentsOn(
  config: Pick<Config, "environments" | "evaluation">,
  kind: ServerChoice["kind"],
): readonly string[] {
  return environmentNames(config).filter((name) => environmentServer(config, name).kind === kind);
}

/** The variable under which a header with the value `null` is looked up. */
export function headerVariable(header: string): string {
  return header.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
}

/** The variable under which the secret at `path` is looked up. */
export function secretVariable(path: KeyPath): string {
  const key = path.at(-1) ?? "";
  const holder = shapeAt(path.slice(0, -1));
  const isHeader = holder?.type === "map" && holder.keyName === "header";
  return isHeader ? headerVariable(key) : key.toUpperCase();
}
