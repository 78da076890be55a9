/** Starts an environment server on a loopback port or a socket for one test, and sends it raw requests. */

import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import * as z from "zod";
import type { HttpResponse } from "../../../../src/core/ports.ts";
import {
  createEnvironmentServer,
  type EnvironmentServerOptions,
} from "../../../../src/local/environment/server/server.ts";
import { type ClosableHttpClient, createHttpClient } from "../../../../src/node/http.ts";
import { folderOfThisTest } from "../../../fakes/onDisk.ts";

export interface Running {
  readonly baseUrl: string;
  readonly http: ClosableHttpClient;
  /** A request with the session's header; with a body it is a POST of JSON. */
  ask(path: string, request?: AskOptions): Promise<HttpResponse>;
  /** Opens an episode of task `train` 0 and returns its session id. */
  open(): Promise<string>;
  /** The full text of a call's stream. */
  call(sid: string, name: string, body?: Readonly<Record<string, unknown>>): Promise<string>;
}

interface AskOptions {
  readonly method?: "GET" | "POST";
  readonly sid?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function startServer(
  options: Pick<EnvironmentServerOptions, "environments"> & Partial<EnvironmentServerOptions>,
  address: "port" | "socket" = "port",
): Promise<Running> {
  const { server, close } = createEnvironmentServer({ apiKey: null, ...options });
  const folder = folderOfThisTest();
  const socketPath = join(folder, "s");
  await new Promise<void>((resolve) => {
    if (address === "socket") server.listen(socketPath, resolve);
    else server.listen(0, "127.0.0.1", resolve);
  });
  const http = createHttpClient(address === "socket" ? { socketPath } : {});
  onTestFinished(async () => {
    await http.close();
    await close();
  });
  const baseUrl =
    address === "socket"
      ? "http://localhost"
      : `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return client(http, baseUrl);
}

function client(http: ClosableHttpClient, baseUrl: string): Running {
  const ask: Running["ask"] = (path, { method, sid, body, headers } = {}) =>
    http.send({
      method: method ?? (body === undefined ? "GET" : "POST"),
      url: baseUrl + path,
      headers: { ...(sid === undefined ? {} : { "x-session-id": sid }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    baseUrl,
    http,
    ask,
    open: async () => {
      const opened = await (await ask("/create_session", { body: {} })).text();
      const sid = eventData(opened, "task_id");
      await json(await ask("/create", { sid, body: { split: "train", index: 0 } }));
      return sid;
    },
    call: async (sid, name, body = {}) => {
      const response = await ask("/call", { sid, body: { name, input: {}, ...body } });
      return response.text();
    },
  };
}

export async function json(response: HttpResponse): Promise<unknown> {
  return JSON.parse(await response.text());
}

/** The data of a stream's first event of that name. */
export function eventData(text: string, name: string): string {
  const found = new RegExp(`event: ${name}\\ndata: (.*)\\n`).exec(text);
  return z.string().parse(found?.[1]);
}
