/** Finds similar names when an environment is not found: in the catalogue or on the server itself. */

import * as z from "zod";
import { nearestWords } from "../../shared/editDistance.ts";
import { AppError, errorMessage } from "../errors.ts";
import { environmentPage } from "../services.ts";
import { withoutEnd } from "../util/textEdges.ts";
import { namesReply } from "./replies.ts";
import type { Target } from "./target.ts";
import type { EnvironmentWire } from "./wire.ts";

const LOOK_UP_TIMEOUT_MS = 5_000;
/** Maximum page size of the catalogue. */
const PAGE_SIZE = 100;

const catalogueReply = z.object({
  environments: z.array(z.object({ owner: z.string(), name: z.string() })),
});

export interface NameSearch {
  /** At most three names similar to the target, nearest first, spelled as in a configuration. */
  readonly near: readonly string[];
  /** True when the catalogue has the name exactly as written. */
  readonly isListed: boolean;
}

/** Looks for similar names; errors only shorten the list. */
export async function suggestNames(wire: EnvironmentWire): Promise<NameSearch> {
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
  // A name that exists as written was not refused because of its spelling.
  const meant = target.onServer ?? target.name;
  const isListed = names.includes(meant);
  return { near: isListed ? [] : nearestWords(meant, names), isListed };
}

/** The error with `data.near`, and with a "did you mean" question or what the listed environment is missing. */
export function withSuggestions(
  { target }: Pick<EnvironmentWire, "target">,
  error: AppError,
  { near, isListed }: NameSearch,
): AppError {
  const data = { ...error.data, near };
  if (isListed && lacksDeployment(error)) {
    const [plain = ""] = target.name.split(":");
    const page = target.isOpenReward ? environmentPage(plain) : null;
    const step = page === null ? "Deploy it first." : `See ${page} for its builds.`;
    const message = `The environment ${plain} exists, but was never built, or no build of it succeeded. ${step}`;
    return new AppError(error.code, message, { data, cause: error });
  }
  const question = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  return new AppError(error.code, error.message + question, { data, cause: error });
}

/** True if the gateway says that nothing is deployed under the name. */
function lacksDeployment({ data }: AppError): boolean {
  return String(data["detail"]).includes("Deployment not found");
}

/** URL of the catalogue; null when the server is not part of a hosted service. */
function catalogueUrl({ dependencies }: EnvironmentWire): string | null {
  if (dependencies.apiUrl !== undefined) return dependencies.apiUrl;
  const url = new URL(dependencies.baseUrl);
  if (!url.hostname.startsWith("sessions.")) return null;
  url.hostname = url.hostname.replace(/^sessions\./, "api.");
  return url.origin;
}

/** Queries for this owner's environments, and for similar names of other owners. */
function catalogueQueries(deployment: string): readonly string[] {
  const [owner = "", name = ""] = deployment.split("/");
  return [{ owner }, { search: name }].map((filter) =>
    new URLSearchParams({ ...filter, limit: String(PAGE_SIZE), offset: "0" }).toString(),
  );
}

/** The catalogue is read without the key, which belongs to `baseUrl`; public names need none. */
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

/** A name on the server, spelled in the same form as the target. */
function spelledLike({ name, deployment, envName, onServer }: Target, found: string): string {
  if (onServer !== null) return found;
  if (deployment !== null) return `${deployment}:${found}`;
  return name === envName ? found : name.slice(0, name.indexOf("/") + 1) + found;
}

function noNames(wire: EnvironmentWire, error: unknown): readonly string[] {
  const { log } = wire.dependencies;
  log.debug("names of environments could not be looked up", { error: errorMessage(error) });
  return [];
}
