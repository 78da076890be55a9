/** Which server each environment of a configuration is on. */

import type { KeyPath } from "../source/keyPath.ts";
import { shapeAt } from "./fields.ts";
import type { Config, EnvironmentConfig } from "./schema.ts";

/** Where secrets of a command go, whichever port it listens on. */
export const THIS_COMPUTER = "http://127.0.0.1";

type ServerConfig = NonNullable<EnvironmentConfig["server"]>;

/** A server of an environment's own, that the trainer starts. */
export interface CommandServer extends Omit<ServerConfig, "command"> {
  readonly kind: "command";
  readonly command: readonly string[];
}

/** A server of an environment's own, at an address. */
export interface AddressServer extends Omit<ServerConfig, "url"> {
  readonly kind: "address";
  readonly url: string;
}

/** `shared` is the one at `openreward_base_url`, by default OpenReward. */
export type ServerChoice =
  | { readonly kind: "embedded" }
  | { readonly kind: "shared" }
  | AddressServer
  | CommandServer;

/** Stand in the command of a bridge for the Python with the library, and for the program that bridges. */
export const BRIDGE_PARTS = { python: "{python}", program: "{bridge}" } as const;
/** What a bridge calls its environment. */
const BRIDGED = "bridged";

/** Has all that decides what is started: a run folder is trusted with no other. */
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

/** All environments, those of evaluations included, each once. */
export function environmentNames({
  environments,
  evaluation,
}: Pick<Config, "environments" | "evaluation">): readonly string[] {
  return [...new Set([...Object.keys(environments), ...Object.keys(evaluation?.splits ?? {})])];
}

/** The same for environments that share a server. */
export function serverPlace(server: ServerChoice): string {
  return JSON.stringify("environment" in server ? { ...server, environment: null } : server);
}

/** The environment under whose name the server of `name` is started, and what it prints is kept: the first that shares it. */
export function serverOwner(
  config: Pick<Config, "environments" | "evaluation">,
  name: string,
): string {
  const placeOf = (each: string): string => serverPlace(environmentServer(config, each));
  const place = placeOf(name);
  return environmentNames(config).find((each) => placeOf(each) === place) ?? name;
}

/** True where an agent plays the environment. */
export function hasAgent({ environments }: Pick<Config, "environments">, name: string): boolean {
  return (environments[name]?.agent ?? null) !== null;
}

/** The environments on servers of one kind. */
export function environmentsOn(
  config: Pick<Config, "environments" | "evaluation">,
  kind: ServerChoice["kind"],
): readonly string[] {
  return environmentNames(config).filter((name) => environmentServer(config, name).kind === kind);
}

/** The variable that a header with the value `null` is looked up as. */
export function headerVariable(header: string): string {
  return header.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
}

/** The variable that the secret at `path` is looked up as. */
export function secretVariable(path: KeyPath): string {
  const key = path.at(-1) ?? "";
  const holder = shapeAt(path.slice(0, -1));
  const isHeader = holder?.type === "map" && holder.keyName === "header";
  return isHeader ? headerVariable(key) : key.toUpperCase();
}
