/** The trainer's control socket in a private folder, over which clients watch and control the run. */

import { randomBytes, timingSafeEqual } from "node:crypto";
import { rmSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { errorMessage, isAppError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { onLines, sendLine } from "../../node/control/lineSocket.ts";
import { controlRequestSchema } from "../../node/control/messages.ts";
import {
  CONTROL_FOLDER_PREFIX,
  CONTROL_SOCKET,
  CONTROL_TOKEN,
} from "../../node/control/socketPath.ts";
import { makeSocketFolder } from "../../node/socketFolder.ts";
import type {
  ControlCommand,
  ControlReply,
  ControlRequest,
  RunStatus,
} from "../../shared/control.ts";
import type { ControlAddress } from "../../shared/runFile.ts";

export interface ControlServerOptions {
  readonly clock: Clock;
  readonly status: () => RunStatus;
  /** Executes a command; the result is sent to the client. Rejects with the reason if the command is refused. */
  readonly execute: (command: ControlCommand) => Promise<string>;
  /** Called when the number of attached editors changes. */
  readonly onAttached?: (count: number) => void;
}

/** Attached clients are notified of changes at most this often. */
const NOTICE_MS = 250;
/** A connection that has not sent the token by then is closed. */
const SHOW_TOKEN_MS = 5_000;
const MAX_CONNECTIONS = 32;

interface Place {
  readonly folder: string;
  readonly token: string;
  readonly address: ControlAddress;
}

export class ControlServer {
  readonly address: ControlAddress;
  readonly #options: ControlServerOptions;
  readonly #server: Server;
  readonly #folder: string;
  readonly #token: Buffer;
  readonly #sockets = new Set<Socket>();
  readonly #attached = new Set<Socket>();
  readonly #removeFolder: () => void;
  #stopNotice: (() => void) | null = null;

  private constructor(options: ControlServerOptions, { folder, token, address }: Place) {
    this.#options = options;
    this.#folder = folder;
    this.#token = Buffer.from(token);
    this.address = address;
    // A trainer that is ended immediately has no time for asynchronous cleanup.
    this.#removeFolder = () => rmSync(folder, { recursive: true, force: true });
    process.once("exit", this.#removeFolder);
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.maxConnections = MAX_CONNECTIONS;
    // Does not keep the process alive after the run.
    this.#server.unref();
  }

  /** Starts listening. @throws AppError `no-socket-folder`, or the system's error if it cannot listen */
  static async start(options: ControlServerOptions): Promise<ControlServer> {
    // On Windows, only the token protects the pipe.
    const { folder, address } = await makeSocketFolder(CONTROL_FOLDER_PREFIX, CONTROL_SOCKET);
    const token = randomBytes(32).toString("base64url");
    const tokenPath = join(folder, CONTROL_TOKEN);
    const server = new ControlServer(options, { folder, token, address: { address, tokenPath } });
    try {
      await writeFile(tokenPath, token, { mode: 0o600 });
      await server.#listen();
    } catch (error) {
      await server.#forgetFolder();
      throw error;
    }
    return server;
  }

  /** Schedules a notification of attached clients. */
  changed(): void {
    if (this.#stopNotice !== null || this.#attached.size === 0) return;
    this.#stopNotice = this.#options.clock.after(NOTICE_MS, () => this.#notify());
  }

  /** Sends the final status and closes. */
  async close(): Promise<void> {
    this.#stopNotice?.();
    this.#notify();
    for (const socket of this.#sockets) socket.end();
    this.#server.close();
    await this.#forgetFolder();
  }

  #listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      // This listener stays, because an error while accepting a connection must not end the run.
      this.#server.on("error", reject);
      this.#server.listen(this.address.address, resolve);
    });
  }

  async #forgetFolder(): Promise<void> {
    // If the process exits meanwhile, the exit handler still removes it.
    await rm(this.#folder, { recursive: true, force: true });
    process.off("exit", this.#removeFolder);
  }

  #notify(): void {
    this.#stopNotice = null;
    const status = this.#options.status();
    for (const socket of this.#attached) sendLine(socket, { notice: "status", status });
  }

  #accept(socket: Socket): void {
    const stopWaiting = this.#options.clock.after(SHOW_TOKEN_MS, () => socket.destroy());
    this.#sockets.add(socket);
    socket.unref();
    onLines(socket, (line) => this.#read(socket, line, stopWaiting));
    socket.on("error", () => undefined);
    socket.once("close", () => {
      stopWaiting();
      this.#sockets.delete(socket);
      if (this.#attached.delete(socket)) this.#options.onAttached?.(this.#attached.size);
    });
  }

  #read(socket: Socket, line: string, onKnown: () => void): void {
    const request = controlRequestSchema.safeParse(parseJson(line)?.value).data;
    if (request === undefined || !this.#isToken(request.token)) {
      socket.destroy();
      return;
    }
    onKnown();
    if (request.action === "attach") {
      this.#attached.add(socket);
      this.#options.onAttached?.(this.#attached.size);
    }
    this.#answer(request).then(
      (reply) => sendLine(socket, reply),
      () => socket.destroy(),
    );
  }

  /** Constant-time comparison for tokens of the right length. */
  #isToken(text: string): boolean {
    const given = Buffer.from(text);
    return given.length === this.#token.length && timingSafeEqual(given, this.#token);
  }

  async #answer(request: ControlRequest): Promise<ControlReply> {
    const { id } = request;
    try {
      const message = await this.#options.execute(request);
      return { id, ok: true, message, status: this.#options.status() };
    } catch (error) {
      const code = isAppError(error) ? error.code : "bug";
      return { id, ok: false, code, message: errorMessage(error) };
    }
  }
}
