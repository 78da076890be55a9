/** Owns the search for the name that was meant when an environment is not found: in the catalogue, or at the server itself. */

import * as z from "zod";
import { AppError, errorMessage } from "../errors.ts";
import { nearestWords } from "../util/editDistance.ts";
import { withoutEnd } from "../util/textEdges.ts";
import { namesReply } from "./replies.ts";
import type { Target } from "./target.ts";
import type { EnvironmentWire } from "./wire.ts";

const LOOK_UP_TIMEOUT_MS = 5_000;
/** Most records that the catalogue gives at once. */
const PAGE_SIZE = 100;

const catalogueReply = z.object({
  environments: z.array(z.object({ owner: z.string(), name: z.string() })),
});

/** At most three names like the target's, nearest first, spelled as in a configuration; faults only make the list shorter. */
export async function suggestNames(wire: EnvironmentWire): Promise<readonly string[]> {
  const { target } = wire;
  const apiUrl = target.deployment === null ? null : catalogueUrl(wire);
  const lists = [
    ...(target.deployment === null || apiUrl === null
      ? []
      : catalogueQueries(target.deployment).map((query) => hostedNames(wire, apiUrl, query))),
    ...(target.isOpenReward ? [] : [serverNames(wire)]),
  ];
  const found = await Promise.all(lists.map((list) => list.catch((error) => noNames(wire, error))));
  const names = [...new Set(found.flat())];
  // A name that exists as it is written was not refused for its spelling.
  return names.includes(target.name) ? [] : nearestWords(target.name, names);
}

/** The same error with `data.near`, and with the question whether one of the names was meant. */
export function withSuggestions(error: AppError, near: readonly string[]): AppError {
  const question = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  return new AppError(error.code, error.message + question, {
    data: { ...error.data, near },
    cause: error,
  });
}

/** Where the catalogue is; null when the server is not part of a hosted service. */
function catalogueUrl({ dependencies }: EnvironmentWire): string | null {
  if (dependencies.apiUrl !== undefined) return dependencies.apiUrl;
  const url = new URL(dependencies.baseUrl);
  if (!url.hostname.startsWith("sessions.")) return null;
  url.hostname = url.hostname.replace(/^sessions\./, "api.");
  return url.origin;
}

/** What this owner has, and what others have under such a name. */
function catalogueQueries(deployment: string): readonly string[] {
  const [owner = "", name = ""] = deployment.split("/");
  return [{ owner }, { search: name }].map((filter) =>
    new URLSearchParams({ ...filter, limit: String(PAGE_SIZE), offset: "0" }).toString(),
  );
}

/** The catalogue is read without the key: that belongs to `baseUrl`, and public names need none. */
async function hostedNames(
  { dependencies, target }: EnvironmentWire,
  apiUrl: string,
  query: string,
): Promise<readonly string[]> {
  const response = await dependencies.http.send({
    method: "GET",
    url: `${withoutEnd(apiUrl, /\//)}/v1/environments?${query}`,
    headers: { "user-agent": dependencies.userAgent },
    timeoutMs: LOOK_UP_TIMEOUT_MS,
  });
  const { environments } = catalogueReply.parse(JSON.parse(await response.text()));
  const suffix = target.envName === null ? "" : `:${target.envName}`;
  return environments.map(({ owner, name }) => `${owner}/${name}${suffix}`);
}

async function serverNames(wire: EnvironmentWire): Promise<readonly string[]> {
  const response = await wire.send(
    {
      method: "GET",
      path: "/list_environments",
      sid: null,
      isInSession: false,
      timeoutMs: LOOK_UP_TIMEOUT_MS,
    },
    undefined,
  );
  const names = namesReply.parse(JSON.parse(await response.text()));
  return names.map((name) => spelledLike(wire.target, name));
}

/** A name of the server in the form in which the target was written. */
function spelledLike({ name, deployment, envName }: Target, found: string): string {
  if (deployment !== null) return `${deployment}:${found}`;
  return name === envName ? found : name.slice(0, name.indexOf("/") + 1) + found;
}

function noNames(wire: EnvironmentWire, error: unknown): readonly string[] {
  const { log } = wire.dependencies;
  log.debug("names of environments could not be looked up", { error: errorMessage(error) });
  return [];
}
