/** The page's surroundings: an editor tab, or a browser opened by `tinker-rl view`. */

import { signal } from "@preact/signals";
import {
  type FromBrowser,
  type ToBrowser,
  TYPED_ARRAYS,
  type TypedArrayJson,
} from "../../src/shared/browserMessages.ts";
import type { ExportedFile } from "../../src/shared/dashboardMessages.ts";

/** Title of the page in a browser; empty until the server sends it, and in an editor. */
export const pageTitle = signal("");

export interface Shell<Sent, Received> {
  /** False in a browser, which has no editor commands. */
  readonly isEditor: boolean;
  postMessage(message: Sent): void;
  /** Passes every message to `take`. Call once. */
  listen(take: (message: Received) => void): void;
  /** State kept from before the page was closed or reloaded; undefined = none. */
  getState(): unknown;
  setState(state: unknown): void;
}

/** The API that the editor gives each page. */
export interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare global {
  var acquireVsCodeApi: (() => VsCodeApi) | undefined;
}

/** `page` names the page that a browser requests, along with the query of its own address. */
export function connectShell<Sent, Received>(page: "dashboard" | "runs"): Shell<Sent, Received> {
  const acquire = globalThis.acquireVsCodeApi;
  return acquire === undefined ? browserShell(page) : editorShell(acquire());
}

function editorShell<Sent, Received>(api: VsCodeApi): Shell<Sent, Received> {
  return {
    isEditor: true,
    postMessage: (message) => api.postMessage(message),
    listen: (take) =>
      window.addEventListener("message", ({ data }: MessageEvent<unknown>) =>
        // A dashboard session sends JSON, which needs a special encoding for typed arrays.
        take((typeof data === "string" ? JSON.parse(data, typedArray) : data) as Received),
      ),
    getState: () => api.getState(),
    setState: (state) => api.setState(state),
  };
}

const RECONNECT_MS = 2_000;

function browserShell<Sent, Received>(page: string): Shell<Sent, Received> {
  watchSystemTheme();
  const address = new URL(`socket${location.search}`, location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  address.searchParams.set("page", page);
  const socket = new WebSocket(address);
  const opened = new Promise<void>((resolve) => {
    socket.addEventListener("open", () => resolve());
  });
  socket.addEventListener("close", waitForServer);
  const send = (message: FromBrowser): void =>
    void opened.then(() => socket.send(JSON.stringify(message)));
  const key = `tinker-rl ${page}`;
  return {
    isEditor: false,
    postMessage: (message) => send({ kind: "message", message }),
    listen: (take) => {
      socket.addEventListener("message", ({ data }: MessageEvent<string>) => {
        const received = JSON.parse(data, typedArray) as ToBrowser; // sent by this package's own server
        if (received.kind === "message") take(received.message as Received);
        else act(received, send);
      });
    },
    getState: () => JSON.parse(sessionStorage.getItem(key) ?? "null") ?? undefined,
    setState: (state) => sessionStorage.setItem(key, JSON.stringify(state)),
  };
}

/** Shows that the connection is lost, and reloads the page once the server answers again. */
function waitForServer(): void {
  const banner = document.createElement("p");
  banner.className = "error";
  banner.setAttribute("role", "alert");
  banner.textContent =
    "Connection lost. Waiting for tinker-rl view… If it was started again, open the address that it printed.";
  document.body.prepend(banner);
  setInterval(() => {
    fetch(location.href, { method: "GET" }).then(
      ({ ok }) => {
        if (ok) location.reload();
      },
      () => undefined,
    );
  }, RECONNECT_MS);
}

function act(
  message: Exclude<ToBrowser, { readonly kind: "message" }>,
  send: (message: FromBrowser) => void,
): void {
  switch (message.kind) {
    case "ask": {
      const value = window.prompt(message.text, message.value);
      send({ kind: "answer", id: message.id, value });
      return;
    }
    case "confirm": {
      const value = window.confirm(message.text) ? "" : null;
      send({ kind: "answer", id: message.id, value });
      return;
    }
    case "go":
      location.assign(message.page);
      return;
    case "shown":
      pageTitle.value = message.title;
      document.title = `${message.title} · Tinker RL`;
      history.replaceState(null, "", message.page);
      return;
    case "copy":
      navigator.clipboard.writeText(message.text).catch(() => undefined);
      return;
    case "open":
      openElsewhere(message.address);
      return;
    case "save":
      saveFile(message.file);
  }
}

function saveFile({ name, content, encoding }: ExportedFile): void {
  const link = document.createElement("a");
  link.download = name;
  link.href = URL.createObjectURL(new Blob([encoding === "utf8" ? content : bytesOf(content)]));
  link.click();
  URL.revokeObjectURL(link.href);
}

function openElsewhere(address: string): void {
  const { protocol, href } = new URL(address, location.href);
  // Runs contain untrusted text and therefore untrusted links.
  if (protocol === "http:" || protocol === "https:")
    window.open(href, "_blank", "noopener,noreferrer");
}

function typedArray(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("typedArray" in value)) return value;
  const { typedArray: name, bytes } = value as TypedArrayJson; // checked below
  // A run may have a setting called `typedArray`.
  if (!Object.hasOwn(TYPED_ARRAYS, name)) return value;
  return new TYPED_ARRAYS[name](bytesOf(bytes).buffer);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  // Newer browsers have `fromBase64`, which is many times faster.
  const Bytes = Uint8Array as { readonly fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  return (
    Bytes.fromBase64?.(base64) ??
    Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  );
}

/** Sets the theme classes on the body as the editor does. */
function watchSystemTheme(): void {
  const [light, contrast] = [
    matchMedia("(prefers-color-scheme: light)"),
    matchMedia("(prefers-contrast: more)"),
  ];
  const set = (): void => {
    const isLight = light.matches;
    document.body.className = contrast.matches
      ? `vscode-high-contrast${isLight ? " vscode-high-contrast-light" : ""}`
      : isLight
        ? "vscode-light"
        : "vscode-dark";
  };
  for (const query of [light, contrast]) query.addEventListener("change", set);
  set();
}
