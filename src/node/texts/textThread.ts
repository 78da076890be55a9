/** One thread that reads the texts of runs: one task at a time, until it has had none for a while. */

import { Worker } from "node:worker_threads";
import type { Clock } from "../../core/ports.ts";
import { failureOf, type TextMessage, type TextRequest, type TextTask } from "./textTask.ts";

export interface TextThreadOptions {
  /** The bundled `textWorker.ts`. */
  readonly workerPath: string;
  readonly clock: Clock;
}

export interface TextThreadOwner {
  /** The task has ended: the thread takes another one. */
  readonly onIdle: (thread: TextThread) => void;
  /** The thread takes no task any more; may be called twice. */
  readonly onEnd: (thread: TextThread) => void;
}

type Receive = (message: TextMessage) => void;

/** A thread without a task ends after this long. */
const IDLE_MS = 30_000;
/** For a task that nobody waits for any more to stop; one that does not is ended with its thread. */
const STOP_MS = 250;

export class TextThread {
  readonly #clock: Clock;
  readonly #owner: TextThreadOwner;
  readonly #worker: Worker;
  /** Null without a task. */
  #receive: Receive | null = null;
  #clearTimer: () => void = () => undefined;
  #isEnded = false;

  constructor({ workerPath, clock }: TextThreadOptions, owner: TextThreadOwner) {
    this.#clock = clock;
    this.#owner = owner;
    this.#worker = new Worker(workerPath);
    this.#worker.on("message", (message: TextMessage) => this.#take(message));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("The thread that reads texts ended.")));
  }

  /** Only for a thread that is idle. What ends the task is received last. */
  begin(task: TextTask, receive: Receive): void {
    this.#clearTimer();
    this.#receive = receive;
    this.#post(task);
  }

  /** Nothing more is received. Resolves when the task has ended; one that has not is stopped. */
  leave(): Promise<void> {
    if (this.#receive === null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#receive = ({ kind }) => {
        if (kind !== "report") resolve();
      };
      this.#post({ kind: "stop" });
      this.#endAfter(STOP_MS);
    });
  }

  end(): void {
    this.#isEnded = true;
    this.#owner.onEnd(this);
    this.#worker.terminate().catch(() => undefined); // its exit is reported, too
  }

  #take(message: TextMessage): void {
    if (this.#isEnded) return;
    if (message.kind === "report") {
      this.#receive?.(message);
      return;
    }
    this.#endTask(message);
    this.#endAfter(IDLE_MS);
    this.#owner.onIdle(this);
  }

  #fail(error: unknown): void {
    this.#isEnded = true;
    this.#clearTimer();
    this.#endTask(failureOf(error));
    this.#owner.onEnd(this);
  }

  #endTask(message: TextMessage): void {
    const receive = this.#receive;
    this.#receive = null;
    receive?.(message);
  }

  #endAfter(ms: number): void {
    this.#clearTimer();
    this.#clearTimer = this.#clock.after(ms, () => this.end());
  }

  #post(request: TextRequest): void {
    this.#worker.postMessage(request);
  }
}
