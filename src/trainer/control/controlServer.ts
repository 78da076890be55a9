/** The trainer's ear: a socket in a private folder, over which a run is watched and controlled while it goes on. */

import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controlRequestSchema } from "../../core/control/messages.ts";
import { errorMessage, isAppError } from "../../core/errors.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { onLines, sendLine } from "../../node/lineSocket.ts";
import type { ControlReply, ControlRequest, ControlWish, RunStatus } from "../../shared/control.ts";
import type { ControlAddress } from "../../shared/runFile.ts";

export interface ControlServerParts {
  readonly status: () => RunStatus;
  /** Carries a wish out; what it returns is told to whoever asked. Rejects with the reason of a refusal. */
  readonly carryOut: (wish: ControlWish) => Promise<string>;
  /** Called when the number of attached editors changes. */
  readonly onAttached?: (count: number) => void;
}

/** Attached connections hear of changes at most this often. */
const NOTICE_MS = 250;
const MAX_CONNECTIONS = 32;

export class ControlServer {
  readonly address: ControlAddress;
  readonly #parts: ControlServerParts;
  readonly #server: Server;
  readonly #folder: string;
  readonly #token: string;
  readonly #sockets = new Set<Socket>();
  readonly #attached = new Set<Socket>();
  #timer: NodeJS.Timeout | null = null;

  private constructor(
    parts: ControlServerParts,
    place: { readonly folder: string; readonly token: string; readonly address: ControlAddress },
  ) {
    this.#parts = parts;
    this.#folder = place.folder;
    this.#token = place.token;
    this.address = place.address;
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.maxConnections = MAX_CONNECTIONS;
    // It keeps nothing alive: a run that has ended ends its process.
    this.#server.unref();
  }

  /** Listens. @throws what the system says when there is no place for a socket */
  static async start(parts: ControlServerParts): Promise<ControlServer> {
    // Only the user can enter a folder made by mkdtemp; a pipe of Windows has the token alone.
    const folder = await mkdtemp(join(tmpdir(), "tinker-rl-run-"));
    const token = randomBytes(32).toString("base64url");
    const tokenPath = join(folder, "token");
    const address =
      process.platform === "win32"
        ? `\\\\.\\pipe\\tinker-rl-run-${randomUUID()}`
        : join(folder, "control.sock");
    const server = new ControlServer(parts, { folder, token, address: { address, tokenPath } });
    await writeFile(tokenPath, token, { mode: 0o600 });
    await new Promise<void>((resolve, reject) => {
      server.#server.once("error", reject);
      server.#server.listen(address, resolve);
    });
    return server;
  }

  /** Tells attached connections, soon, that something has changed. */
  changed(): void {
    if (this.#timer !== null || this.#attached.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#notify();
    }, NOTICE_MS);
    this.#timer.unref();
  }

  /** Says how it ended, and closes. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#notify();
    for (const socket of this.#sockets) socket.end();
    this.#server.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #notify(): void {
    const status = this.#parts.status();
    for (const socket of this.#attached) sendLine(socket, { notice: "status", status });
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.unref();
    onLines(socket, (line) => this.#read(socket, line));
    socket.on("error", () => undefined);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      if (this.#attached.delete(socket)) this.#parts.onAttached?.(this.#attached.size);
    });
  }

  #read(socket: Socket, line: string): void {
    const request = controlRequestSchema.safeParse(parseJson(line)?.value).data;
    if (request === undefined || request.token !== this.#token) {
      socket.destroy();
      return;
    }
    if (request.action === "attach") {
      this.#attached.add(socket);
      this.#parts.onAttached?.(this.#attached.size);
    }
    this.#answer(request).then(
      (reply) => sendLine(socket, reply),
      () => socket.destroy(),
    );
  }

  async #answer(request: ControlRequest): Promise<ControlReply> {
    const { id } = request;
    try {
      const message = await this.#parts.carryOut(request);
      return { id, ok: true, message, status: this.#parts.status() };
    } catch (error) {
      const code = isAppError(error) ? error.code : "bug";
      return { id, ok: false, code, message: errorMessage(error) };
    }
  }
}
