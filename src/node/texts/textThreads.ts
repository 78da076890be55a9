/** Reads the texts of runs in threads, so that neither much text nor a regular expression without end holds its program up. */

import { AppError } from "../../core/errors.ts";
import { Limiter } from "../../core/util/limiter.ts";
import { WakeableSleep } from "../../core/util/wakeableSleep.ts";
import type { Reports, TextMessage, TextTask } from "./textTask.ts";
import { TextThread, type TextThreadOptions } from "./textThread.ts";

/** For a thread to report something. */
const DEADLINE_MS = 10_000;
/** One for each kind of task. */
const MAX_THREADS = 3;

/** Starts a thread when no idle one is there, and keeps those that do their tasks for the next. */
export class TextThreads {
  readonly #options: TextThreadOptions;
  readonly #places = new Limiter(MAX_THREADS);
  /** Of each thread that is not idle, how it gives its place back. */
  readonly #busy = new Map<TextThread, () => void>();
  readonly #idle: TextThread[] = [];

  constructor(options: TextThreadOptions) {
    this.#options = options;
  }

  /**
   * Reports as the task goes on; whoever stops taking reports ends it, and an abort of `signal` rejects with its reason.
   * @throws AppError as the task does; `text-failed` when its thread ends, as without memory; `text-stuck` when the thread works on
   * one rollout for longer than ten seconds
   */
  async *reports<Task extends TextTask>(
    task: Task,
    signal: AbortSignal = new AbortController().signal,
  ): AsyncGenerator<Reports[Task["kind"]], void> {
    const thread = await this.#take(signal);
    const waiting: TextMessage[] = [];
    const sleep = new WakeableSleep();
    thread.begin(task, (message) => {
      waiting.push(message);
      sleep.wakeOrSkipNext();
    });
    try {
      for (;;) {
        const message = waiting.shift();
        if (message === undefined) {
          if (await sleep.sleep(this.#options.clock, DEADLINE_MS, signal)) continue;
          thread.end();
          throw stuck();
        }
        if (message.kind === "end") return;
        if (message.kind === "failed") throw new AppError(message.code, message.message);
        yield message.report as Reports[Task["kind"]]; // the thread answers a task with its own reports
      }
    } finally {
      await thread.leave();
    }
  }

  /** Ends all threads. */
  dispose(): void {
    for (const thread of [...this.#idle, ...this.#busy.keys()]) thread.end();
  }

  async #take(signal: AbortSignal): Promise<TextThread> {
    const release = await this.#places.acquire({ signal });
    const thread = this.#idle.pop() ?? this.#start();
    this.#busy.set(thread, release);
    return thread;
  }

  #start(): TextThread {
    return new TextThread(this.#options, {
      onIdle: (thread) => {
        this.#idle.push(thread);
        this.#giveBack(thread);
      },
      onEnd: (thread) => {
        const at = this.#idle.indexOf(thread);
        if (at !== -1) this.#idle.splice(at, 1);
        this.#giveBack(thread);
      },
    });
  }

  #giveBack(thread: TextThread): void {
    this.#busy.get(thread)?.();
    this.#busy.delete(thread);
  }
}

function stuck(): AppError {
  return new AppError(
    "text-stuck",
    `The search was ended because one rollout took it more than ${DEADLINE_MS / 1_000} seconds. Write the expression without a repetition inside of another, such as (a+)+.`,
  );
}
