/** `tinker-rl view`: serves the extension's pages to a browser. Listens on loopback only; access requires the token in the URL. */

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { dirname, extname, join } from "node:path";
import { type WebSocket, WebSocketServer } from "ws";
import * as z from "zod";
import { AppError, errorMessage } from "../../core/errors.ts";
import type { Clock, Log } from "../../core/ports.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { admitLoopbackNames, createHttpServer } from "../../local/http/httpServer.ts";
import { closeServer, listen } from "../../local/http/listen.ts";
import { refusal } from "../../local/http/refusal.ts";
import type { Routes } from "../../local/http/router.ts";
import { sameSecret } from "../../local/http/sameSecret.ts";
import type { ClosableFileSystem } from "../../node/fileSystem.ts";
import { fromHome } from "../../node/fromHome.ts";
import type { FromBrowser, ToBrowser } from "../../shared/browserMessages.ts";
import { pageHtml } from "../dashboard/pageHtml.ts";
import { typedJson } from "../dashboard/typedJson.ts";
import { runIdOf } from "../runs/runId.ts";
import { RunStore } from "../runs/runStore.ts";
import { type ConnectedPage, ViewPages } from "./viewPages.ts";

export interface ViewOptions {
  readonly fileSystem: ClosableFileSystem;
  readonly clock: Clock;
  /** Folders that hold runs. */
  readonly parents: readonly string[];
  /** A run folder to open first; null = the table of all runs. */
  readonly run: string | null;
  /** Contains the program, next to the folder `webview`. */
  readonly programFolder: string;
  readonly cacheFolder: string;
  /** 0 = any free port. */
  readonly port: number;
  readonly log: Log;
}

export interface ServedView {
  /** Includes the token. */
  readonly url: string;
  close(): Promise<void>;
}

/** The largest message is an exported file. */
const MAX_MESSAGE_BYTES = 96 * 1024 * 1024;
/** A page with this much unsent data is disconnected; it reloads when it reconnects. */
const MAX_WAITING_BYTES = 256 * 1024 * 1024;
const PING_MS = 30_000;
/** Pause between reads of the run list, or twenty times the duration of the last read if that is longer. */
const LOOK_AGAIN_MS = 5_000;
const LOOK_AGAIN_FACTOR = 20;

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};
const HEADERS = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};
const fromBrowser: z.ZodType<FromBrowser> = z.discriminatedUnion("kind", [
  // The session validates the message itself.
  z.strictObject({ kind: z.literal("message"), message: z.unknown() }),
  z.strictObject({
    kind: z.literal("answer"),
    id: z.number().int(),
    value: z.string().max(100_000).nullable(),
  }),
]);

/** Serves until closed. @throws AppError `listen-failed`, `pages-missing` */
export async function serveView(options: ViewOptions): Promise<ServedView> {
  const { fileSystem, clock, programFolder, cacheFolder, log } = options;
  const onError = (error: unknown): void => log.error(errorMessage(error));
  const webview = join(programFolder, "..", "webview");
  await readFile(join(webview, "runs.js")).catch((cause: unknown) => {
    throw new AppError(
      "pages-missing",
      `The pages are missing in ${webview}. Install the package again, or run npm run build.`,
      { cause },
    );
  });
  const store = new RunStore({ fileSystem, clock, nameOf: () => null, onError });
  await store.look(options.parents, options.run === null ? [] : [options.run]);
  const pages = await ViewPages.create({
    store,
    fileSystem,
    clock,
    programFolder,
    // One cache per set of runs, because entries of runs not listed are dropped.
    cacheFolder: join(cacheFolder, runIdOf([...options.parents, options.run].join("\n"))),
    place: placeOf(options),
    onError,
  });
  const token = randomBytes(24).toString("base64url");
  const prefix = `/${token}`;
  const server = createHttpServer({
    routes: routes(webview, pages),
    key: null,
    log,
    prefix,
    admit: (request) => admit(request, token),
    headers: HEADERS,
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  server.on("upgrade", (request, socket, head) => {
    // A client that disconnects early is not an error.
    socket.on("error", () => socket.destroy());
    const query = socketQuery(request, token);
    if (query === null) {
      socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      connect(opened, (send) =>
        query.get("page") === "runs"
          ? pages.openRunsTable(send)
          : pages.openDashboard(query.get("id"), send),
      );
    });
  });
  const address = await listen(server, { kind: "port", port: options.port });
  const looking = lookAgain(store, clock, () => sockets.clients.size > 0, onError);
  const first = store.runs.find(({ folder }) => folder === options.run);
  return {
    url: `${address}/${token}/${first === undefined ? "runs" : pages.pageOf(first.folder)}`,
    close: async () => {
      looking.stop();
      for (const socket of sockets.clients) socket.terminate();
      pages.close();
      store.close();
      await closeServer(server);
    },
  };
}

/** The project folder of the runs, or the folder that contains them. */
function placeOf({ parents: [first], run }: Pick<ViewOptions, "parents" | "run">): string {
  const folder = first ?? dirname(run ?? "");
  return fromHome(folder.replace(/[\\/]\.tinker-rl[\\/]runs$/, ""));
}

function routes(webview: string, pages: ViewPages): Routes {
  const page = (name: "dashboard" | "runs", style: string) => () => {
    const nonce = randomBytes(16).toString("hex");
    const html = pageHtml({
      scriptUri: `assets/${name}.js`,
      styleUris: ["assets/browser.css", `assets/${style}.css`],
      source: "'self'",
      connectSource: "'self'",
      nonce,
      language: "en",
      loading: "Loading…",
    });
    return { status: 200, contentType: "text/html; charset=utf-8", body: Buffer.from(html) };
  };
  const dashboard = page("dashboard", "style");
  const gone = () => refusal(404, "This run no longer exists.");
  return {
    "GET /": () => ({
      status: 302,
      contentType: null,
      body: Buffer.alloc(0),
      headers: { Location: "runs" },
    }),
    "GET /runs": page("runs", "runsStyle"),
    "GET /run": async ({ query }) => {
      const id = query.get("id");
      if (id !== null && !(await pages.has(id))) throw gone();
      return dashboard();
    },
    "GET /log": async ({ query }) => {
      const text = await pages.logOf(query.get("id") ?? "");
      if (text === null) throw gone();
      return { status: 200, contentType: "text/plain; charset=utf-8", body: Buffer.from(text) };
    },
    "GET /assets/{name}": async ({ params: { name = "" } }) => {
      const type = TYPES[extname(name)];
      if (type === undefined || !/^[\w.-]+$/.test(name))
        throw refusal(404, "There is no such file.");
      const body = await readFile(join(webview, name)).catch(() => {
        throw refusal(404, "There is no such file.");
      });
      return { status: 200, contentType: type, body };
    },
  };
}

/** @throws AppError `http-refused` 403 without the token, or with the host name of another machine */
function admit(request: IncomingMessage, token: string): void {
  admitLoopbackNames(request);
  const [, given = ""] = (request.url ?? "").split(/[/?]/, 2);
  if (!sameSecret(given, token))
    throw refusal(403, "Open the address that `tinker-rl view` printed.");
}

/**
 * Query parameters of a page's WebSocket; null if the request is not from our own pages, because any site may open a socket to any address.
 */
function socketQuery(request: IncomingMessage, token: string): URLSearchParams | null {
  const { host, origin } = request.headers;
  try {
    admit(request, token);
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const isOwn = pathname.endsWith("/socket") && origin === `http://${host}`;
    return isOwn ? searchParams : null;
  } catch {
    return null;
  }
}

function connect(
  socket: WebSocket,
  open: (send: (message: ToBrowser) => void) => ConnectedPage,
): void {
  let isAlive = true;
  const page = open((message) => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > MAX_WAITING_BYTES) socket.terminate();
    else socket.send(typedJson(message));
  });
  const pinging = setInterval(() => {
    if (!isAlive) socket.terminate();
    isAlive = false;
    socket.ping();
  }, PING_MS);
  socket.on("pong", () => {
    isAlive = true;
  });
  socket.on("message", (data) => {
    const message = fromBrowser.safeParse(parseJson(String(data))?.value).data;
    if (message !== undefined) page.receive(message);
  });
  // `close` follows every error.
  socket.on("error", () => undefined);
  socket.on("close", () => {
    clearInterval(pinging);
    page.close();
  });
}

/** Rereads the run list regularly, because other programs may start or delete runs. */
function lookAgain(
  store: RunStore,
  clock: Clock,
  isWatched: () => boolean,
  onError: (error: unknown) => void,
): { stop(): void } {
  const stopped = new AbortController();
  const look = async (): Promise<void> => {
    let pauseMs = LOOK_AGAIN_MS;
    while (!stopped.signal.aborted) {
      await clock.sleep(pauseMs, stopped.signal);
      if (!isWatched()) continue;
      const began = clock.monotonic();
      await store.refresh();
      pauseMs = Math.max(LOOK_AGAIN_MS, LOOK_AGAIN_FACTOR * (clock.monotonic() - began));
    }
  };
  look().catch((error: unknown) => {
    if (!stopped.signal.aborted) onError(error);
  });
  return { stop: () => stopped.abort() };
}
