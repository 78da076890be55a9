/** A client for a trainer's control socket. */

import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import { parseErrorCode } from "../../core/errorCodes.ts";
import { AppError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import {
  CONTROL_VERSION,
  type ControlCommand,
  type ControlReply,
  type RunStatus,
} from "../../shared/control.ts";
import type { ControlAddress } from "../../shared/runFile.ts";
import { systemClock } from "../clock.ts";
import { errorCode } from "../errorCode.ts";
import { createFileSystem } from "../fileSystem.ts";
import { onLines, sendLine } from "./lineSocket.ts";
import { controlAnswerSchema } from "./messages.ts";
import { isControlSocketPath, isControlToken } from "./socketPath.ts";

export interface ControlClientOptions {
  /** Default: the system clock. */
  readonly clock?: Pick<Clock, "after">;
  /** Called when the trainer reports a change; only after `attach`. */
  readonly onStatus?: (status: RunStatus) => void;
  /** Called once when the connection closes for any reason. */
  readonly onClose?: () => void;
}

type Accepted = Extract<ControlReply, { ok: true }>;

interface Waiting {
  readonly resolve: (reply: Accepted) => void;
  readonly reject: (error: AppError) => void;
  readonly stopTimer: () => void;
}

const CONNECT_LIMIT_MS = 5_000;
/** A suspended trainer still accepts connections, so replies are limited. Work that blocks its event loop takes far less. */
const REPLY_LIMIT_MS = 10_000;
const MAX_TOKEN_BYTES = 1_000;

/** An open connection to one trainer. */
export class ControlClient {
  readonly #socket: Socket;
  readonly #token: string;
  readonly #clock: Pick<Clock, "after">;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;

  private constructor(socket: Socket, token: string, options: ControlClientOptions) {
    this.#socket = socket;
    this.#token = token;
    this.#clock = options.clock ?? systemClock;
    onLines(socket, (line) => this.#read(line, options));
    socket.on("error", () => undefined);
    socket.once("close", () => {
      for (const { reject, stopTimer } of this.#waiting.values()) {
        stopTimer();
        reject(gone());
      }
      this.#waiting.clear();
      options.onClose?.();
    });
  }

  /** @throws AppError `run-not-reachable` if no trainer is listening, or one of another user */
  static async open(
    target: ControlAddress,
    options: ControlClientOptions = {},
  ): Promise<ControlClient> {
    try {
      const token = await readToken(target);
      return new ControlClient(await connected(target.address), token, options);
    } catch (cause) {
      throw isForbidden(cause) ? ofAnotherUser(cause) : gone(cause);
    }
  }

  /** Sends one command over a connection of its own. @throws like {@link ControlClient.open} and {@link ControlClient.send} */
  static async sendOnce(target: ControlAddress, command: ControlCommand): Promise<Accepted> {
    const client = await ControlClient.open(target);
    try {
      return await client.send(command);
    } finally {
      client.close();
    }
  }

  /**
   * Closes the connection if no answer arrives in time.
   * @throws AppError with the trainer's own code if it refuses, `run-not-reachable` if it does not answer
   */
  async send(command: ControlCommand): Promise<Accepted> {
    const isSave = command.action === "save";
    // The answer to a save waits for the service, so first check that the trainer responds at all.
    if (isSave) await this.send({ action: "status" });
    const id = this.#nextId;
    this.#nextId += 1;
    return await new Promise((resolve, reject) => {
      if (!this.#socket.writable) return reject(gone());
      const limitMs = isSave ? Number.POSITIVE_INFINITY : REPLY_LIMIT_MS;
      const stopTimer = this.#clock.after(limitMs, () => this.#socket.destroy());
      this.#waiting.set(id, { resolve, reject, stopTimer });
      sendLine(this.#socket, { ...command, version: CONTROL_VERSION, id, token: this.#token });
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(line: string, { onStatus }: ControlClientOptions): void {
    const answer = controlAnswerSchema.safeParse(parseJson(line)?.value).data;
    if (answer === undefined) return;
    if ("notice" in answer) {
      onStatus?.(answer.status);
      return;
    }
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    waiting?.stopTimer();
    if (answer.ok) waiting?.resolve(answer);
    else waiting?.reject(new AppError(parseErrorCode(answer.code), answer.message));
  }
}

async function readToken(target: ControlAddress): Promise<string> {
  if (!isControlSocketPath(target)) throw new Error("no trainer listens at such an address");
  const folder = createFileSystem().within(dirname(target.tokenPath));
  const token = await folder.readText(target.tokenPath, MAX_TOKEN_BYTES);
  if (!isControlToken(token)) throw new Error("the token file has invalid content");
  return token;
}

function connected(address: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(address);
    socket.setTimeout(CONNECT_LIMIT_MS, () => socket.destroy(new Error("no answer")));
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

/** The file system's errors have the system error as their cause. */
function isForbidden(error: unknown): boolean {
  if (["EACCES", "EPERM"].includes(errorCode(error))) return true;
  return error instanceof AppError && isForbidden(error.cause);
}

function ofAnotherUser(cause: unknown): AppError {
  const message =
    "The run belongs to another user, who alone can control it. Run the command as that user.";
  return new AppError("run-not-reachable", message, { cause });
}

function gone(cause?: unknown): AppError {
  const message =
    "The run's trainer does not answer: it has ended, is suspended (`fg` in its terminal continues it), or runs on another computer.";
  return new AppError("run-not-reachable", message, { cause });
}
