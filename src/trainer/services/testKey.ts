/** Tests whether a service accepts a key, with the cheapest authenticated call, sent only to the key's own host. */

import type { KeyTestRequest, KeyTestResult } from "../../api/keys.ts";
import { isAppError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import type { HttpRequest, HttpResponse } from "../../core/ports.ts";
import { isSafeAddress } from "../../core/secrets/hostBinding.ts";
import { addressFor, officialHost } from "../../core/secrets/serviceHosts.ts";
import { OPENREWARD_API_URL, type ServiceId } from "../../core/services.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { type ClosableHttpClient, createHttpClient } from "../../node/http.ts";

export interface KeyTestPorts {
  readonly openHttp?: (() => ClosableHttpClient) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Time limit for all requests of one test. */
const LIMIT_MS = 10_000;
const REFUSALS: readonly number[] = [401, 403];

interface Probe {
  readonly request: HttpRequest;
  /** Statuses that this server may also return for valid keys; the next probe then decides. */
  readonly inconclusive: (status: number) => boolean;
}

/** Neither the result nor thrown errors contain the key. */
export async function testKey(
  { service, value, host: bound, variables }: KeyTestRequest,
  { openHttp = createHttpClient, signal }: KeyTestPorts = {},
): Promise<KeyTestResult> {
  const host = bound ?? officialHost(service);
  const url = addressFor(service, bound, variables);
  if (url === null) return { kind: "no-address", host };
  if (!isSafeAddress(url)) return { kind: "not-encrypted", host };
  const probes = probesOf(service, { url, value, isOfficial: bound === null });
  const http = openHttp();
  try {
    return await ask(http, probes, { host, signal });
  } catch (error) {
    signal?.throwIfAborted();
    const code = isAppError(error, "transport") ? error.data["code"] : null;
    return { kind: "unreachable", host, reason: typeof code === "string" ? code : null };
  } finally {
    await http.close();
  }
}

async function ask(
  http: ClosableHttpClient,
  probes: readonly Probe[],
  { host, signal }: { readonly host: string; readonly signal: AbortSignal | undefined },
): Promise<KeyTestResult> {
  let status = 0;
  for (const { request, inconclusive } of probes) {
    const response = await http.send({
      ...request,
      signal,
      timeoutMs: Math.floor(LIMIT_MS / probes.length),
    });
    status = response.status;
    if (status >= 200 && status < 300) {
      const isTaken = await takesKey(request, response);
      return isTaken ? { kind: "works", host } : { kind: "refused", host, status: null };
    }
    await response.text();
    if (status === 402 || !inconclusive(status)) break;
  }
  if (status === 402) return { kind: "no-credit", host };
  if (REFUSALS.includes(status)) return { kind: "refused", host, status };
  return { kind: "unclear", host, status };
}

/** GraphQL always answers 200, with a null viewer for invalid keys: `docs/protocols/wandb.md#login`. */
async function takesKey(request: HttpRequest, response: HttpResponse): Promise<boolean> {
  const text = await response.text();
  if (request.method !== "POST") return true;
  const answer = parseJson(text)?.value;
  const data = isJsonObject(answer) ? answer["data"] : null;
  return isJsonObject(data) && isJsonObject(data["viewer"]);
}

interface Target {
  readonly url: string;
  readonly value: string;
  readonly isOfficial: boolean;
}

function probesOf(service: ServiceId, target: Target): readonly Probe[] {
  switch (service) {
    case "tinker":
      return tinkerProbes(target);
    case "openreward":
      return openRewardProbes(target);
    case "wandb":
      return [wandbProbe(target)];
    case "openai":
      return [get(`${target.url}/models`, { authorization: `Bearer ${target.value}` })];
    case "anthropic":
      return [
        get(`${target.url}/v1/models?limit=1`, {
          "x-api-key": target.value,
          "anthropic-version": "2023-06-01",
        }),
      ];
  }
}

/** Only the hosted service can describe a key, and only a key starting with `tml-`: `docs/protocols/tinker.md#keys-and-tokens`. */
function tinkerProbes({ url, value, isOfficial }: Target): readonly Probe[] {
  const headers = { "x-api-key": value };
  const capabilities = get(`${url}/api/v1/get_server_capabilities`, headers);
  if (!isOfficial || !value.startsWith("tml-")) return [capabilities];
  const isAbsent = (status: number): boolean => status === 404 || status === 405;
  return [get(`${url}/api/v1/auth/apikey/me`, headers, isAbsent), capabilities];
}

/** Organization keys are accepted by the first call, personal keys by the second: `docs/protocols/openreward.md#catalogue`. */
function openRewardProbes({ url, value, isOfficial }: Target): readonly Probe[] {
  const headers = { "x-api-key": value };
  if (!isOfficial) return [get(`${url}/list_environments`, headers)];
  const account = `${OPENREWARD_API_URL}/v1/namespace/current`;
  return [get(`${account}?type=org`, headers, () => true), get(`${account}?type=user`, headers)];
}

function wandbProbe({ url, value }: Target): Probe {
  const body = JSON.stringify({
    operationName: "Viewer",
    query: "query Viewer { viewer { id } }",
  });
  const token = Buffer.from(`api:${value}`, "utf8").toString("base64");
  const headers = { authorization: `Basic ${token}`, "content-type": "application/json" };
  return {
    request: { method: "POST", url: `${url}/graphql`, headers, body },
    inconclusive: () => false,
  };
}

function get(
  url: string,
  headers: Readonly<Record<string, string>>,
  inconclusive: Probe["inconclusive"] = () => false,
): Probe {
  return {
    request: { method: "GET", url, headers: { accept: "application/json", ...headers } },
    inconclusive,
  };
}
