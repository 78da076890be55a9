/** Plays an environment for its checks, with limits on time, requests and text. Results that several checks need are cached. */

import { createUniform } from "../../../shared/uniform.ts";
import { AppError, isAppError } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import type {
  EnvironmentSession,
  RemoteEnvironment,
  Split,
  ToolList,
} from "../../openreward/types.ts";
import type { Clock } from "../../ports.ts";
import { type Deadline, deadline, timeoutError, withLimit } from "../../util/abort.ts";
import { answerText, type CallAnswer, isFinal, readCall } from "./answer.ts";
import { type PlayableTool, playableTools } from "./tools.ts";
import { WordList } from "./valueSources.ts";

export interface ProbeLimits {
  /** For all checks of an environment together. */
  readonly totalMs: number;
  readonly openMs: number;
  readonly callMs: number;
  /** Slower calls are reported. */
  readonly slowCallMs: number;
  /** Sessions that are slower to open are reported. */
  readonly slowOpenMs: number;
  /** Sessions and calls in total. */
  readonly actions: number;
  /** UTF-16 code units of prompts and answers in total. */
  readonly textUnits: number;
}

const PROBE_LIMITS: ProbeLimits = {
  totalMs: 15 * 60_000,
  openMs: 120_000,
  callMs: 60_000,
  slowCallMs: 10_000,
  slowOpenMs: 30_000,
  actions: 10_000,
  textUnits: 256 * 2 ** 20,
};

export interface ProbeOptions {
  readonly remote: RemoteEnvironment;
  readonly clock: Clock;
  readonly seed: number;
  /** Number of tasks per split whose prompts are read. */
  readonly tasks: number;
  /** Split to play; null for `train`, or else the first one. */
  readonly split: string | null;
  readonly secrets: Readonly<Record<string, string>>;
  /** Token limit of a rollout, at most the model's context; null if unknown. */
  readonly maxTotalTokens: number | null;
  /** Whether rollouts with images can be played; unknown if absent. */
  readonly readsImages?: boolean | undefined;
  /** Tokens of a session's first prompt as the model reads it, including tools; absent if its tokenizer is unknown. */
  readonly countTokens?: ((session: EnvironmentSession) => Promise<number | null>) | undefined;
  readonly limits?: Partial<ProbeLimits> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PlayedTask {
  readonly split: string;
  readonly index: number;
}

/** A call with its reply. */
export interface Step {
  readonly tool: string;
  readonly input: JsonObject;
  readonly answer: CallAnswer;
}

/** A session as far as it was played. */
export interface Play {
  readonly task: PlayedTask;
  readonly prompt: string;
  /** Whether the prompt has an image. */
  readonly hasImage: boolean;
  readonly openMs: number;
  readonly steps: readonly Step[];
}

/** Such as `train 3`. */
export function taskName({ split, index }: PlayedTask): string {
  return `${split} ${index}`;
}

/** Maximum number of tasks per split whose data is read. */
const MAX_TASK_DATA = 1_000;
const TASK_PAGE = 100;
const MAX_SPLITS = 3;
const SLOW_CALLS = 2;

export class Probe {
  readonly options: ProbeOptions;
  readonly remote: RemoteEnvironment;
  readonly limits: ProbeLimits;
  /** Everything played so far, in order. */
  readonly plays: Play[] = [];
  readonly vocabulary = new WordList();
  readonly #deadline: Deadline;
  readonly #once = new Map<string, Promise<unknown>>();
  #actions = 0;
  #textUnits = 0;

  constructor(options: ProbeOptions) {
    this.options = options;
    this.remote = options.remote;
    this.limits = { ...PROBE_LIMITS, ...options.limits };
    const { clock, signal } = options;
    const limitMs = this.limits.totalMs;
    const onLimit = (): Error => timeoutError(`The check of ${this.remote.name}`, limitMs);
    this.#deadline = deadline({ clock, limitMs, onLimit, parents: [signal] });
  }

  /** Aborted when time or credit runs out, or when the user stops the check. */
  get signal(): AbortSignal {
    return this.#deadline.signal;
  }

  /** Whether calls of the tool were slow more than once, so that further ones would use up the time of other checks. */
  isSlow(tool: string): boolean {
    const calls = this.plays.flatMap(({ steps }) => steps).filter((step) => step.tool === tool);
    return calls.filter(({ answer }) => answer.ms >= this.limits.slowCallMs).length >= SLOW_CALLS;
  }

  end(): void {
    this.#deadline.clear();
  }

  /** Runs `make` once per key and shares its result. */
  once<T>(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#once.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const made = make();
    this.#once.set(key, made);
    return made;
  }

  /** A random number generator determined by the seed and a name. */
  uniform(name: string): () => number {
    let seed = this.options.seed;
    for (const unit of name) seed = (Math.imul(seed, 31) + (unit.codePointAt(0) ?? 0)) >>> 0;
    return createUniform(seed);
  }

  splits(): Promise<readonly Split[]> {
    return this.once("splits", () =>
      this.#limited("The list of splits", (signal) => this.remote.splits({ signal })),
    );
  }

  numTasks(split: string): Promise<number> {
    return this.once(`numTasks ${split}`, () =>
      this.#limited("The number of tasks", (signal) => this.remote.numTasks(split, { signal })),
    );
  }

  sharedTools(): Promise<ToolList> {
    return this.once("sharedTools", () =>
      this.#limited("The list of tools", (signal) => this.remote.tools({ signal })),
    );
  }

  /** Tools that the session of the first task offers. */
  tools(): Promise<readonly PlayableTool[]> {
    return this.once("tools", async () => {
      const [task] = await this.playedTasks(1);
      if (task === undefined) throw new AppError("environment-protocol", "There is no task.");
      return this.session(task, async ({ tools }) => tools);
    });
  }

  /** The first splits that have tasks, starting with the one to play. */
  filledSplits(): Promise<readonly string[]> {
    return this.once("filledSplits", async () => {
      const names = (await this.splits()).map(({ name }) => name);
      const wanted = this.options.split ?? names.find((name) => name === "train");
      const ordered = [...new Set([...(wanted === undefined ? [] : [wanted]), ...names])];
      const filled: string[] = [];
      for (const name of ordered) if ((await this.numTasks(name)) > 0) filled.push(name);
      return filled.slice(0, MAX_SPLITS);
    });
  }

  /** Up to `count` tasks, spread over the split to play. */
  async playedTasks(count: number): Promise<readonly PlayedTask[]> {
    const [split] = await this.filledSplits();
    if (split === undefined) return [];
    const all = await this.numTasks(split);
    const most = Math.min(count, all);
    return Array.from({ length: most }, (_, i) => ({ split, index: Math.floor((i * all) / most) }));
  }

  /** Data of a split's first tasks; null if the server does not provide it. */
  taskData(split: string): Promise<readonly JsonObject[] | null> {
    return this.once(`taskData ${split}`, async () => {
      const count = Math.min(await this.numTasks(split), MAX_TASK_DATA);
      const data: JsonObject[] = [];
      while (data.length < count) {
        const stop = Math.min(data.length + TASK_PAGE, count);
        const page = await this.#limited("The list of tasks", (signal) =>
          this.remote.tasks(split, data.length, stop, { signal }),
        );
        if (page === null || page.length === 0) return data.length === 0 ? null : data;
        data.push(...page);
      }
      return data;
    });
  }

  /** Data of one task; null if the server does not provide it. */
  async dataOf({ split, index }: PlayedTask): Promise<JsonObject | null> {
    const page = await this.once(`dataOf ${split} ${index}`, () =>
      this.#limited("The data of a task", (signal) =>
        this.remote.tasks(split, index, index + 1, { signal }),
      ),
    );
    return page?.[0] ?? null;
  }

  /**
   * Opens a session, reads its tools and prompt, passes it to `work`, and always closes it.
   * @throws AppError `environment-*`, `timeout`
   */
  async session<T>(
    task: PlayedTask,
    work: (session: PlayedSession) => Promise<T>,
    secrets = this.options.secrets,
  ): Promise<T> {
    const session = await this.open(task, secrets);
    try {
      return await work(session);
    } finally {
      await session.close();
    }
  }

  /** {@link session} for overlapping sessions; the caller closes it. */
  async open(task: PlayedTask, secrets = this.options.secrets): Promise<PlayedSession> {
    const { clock } = this.options;
    const sinceMs = clock.monotonic();
    const { openMs } = this.limits;
    return await this.#limited(
      `The start of a session of task ${taskName(task)}`,
      async (signal) => {
        const session = await this.remote.openSession({ ...task, secrets }, { signal });
        try {
          const tools = playableTools(await session.tools({ signal }));
          const prompt = (await session.prompt({ signal })).flatMap(({ blocks }) => blocks);
          const text = prompt.map((block) => ("text" in block ? block.text : "")).join("\n");
          this.#count(text);
          this.vocabulary.learn(text);
          const played = new PlayedSession(this, session, {
            task,
            prompt: text,
            hasImage: prompt.some(({ type }) => type === "image"),
            tools,
            openMs: clock.monotonic() - sinceMs,
          });
          this.plays.push(played);
          return played;
        } catch (error) {
          await session.close();
          throw error;
        }
      },
      openMs,
    );
  }

  /**
   * Tokens of a task's first prompt as the model reads it; null without its tokenizer. @throws AppError `chat-*`, `environment-*`,
   * `rollout-image`
   */
  async promptTokens(task: PlayedTask): Promise<number | null> {
    const { countTokens, secrets } = this.options;
    if (countTokens === undefined) return null;
    return this.#limited("The prompt of a task", async (signal) => {
      const session = await this.remote.openSession({ ...task, secrets }, { signal });
      try {
        return await countTokens(session);
      } finally {
        await session.close();
      }
    });
  }

  /** Plays calls until the episode ends. */
  play(task: PlayedTask, calls: readonly Pick<Step, "tool" | "input">[]): Promise<Play> {
    return this.session(task, async (session) => {
      for (const { tool, input } of calls) {
        if (session.isOver) break;
        await session.call(tool, input);
      }
      return session;
    });
  }

  /** The reply to a call. A failure of the environment counts as a reply; running out of time is thrown. */
  async answerOf(
    session: EnvironmentSession,
    tool: string,
    input: JsonObject,
  ): Promise<CallAnswer> {
    const { clock } = this.options;
    const sinceMs = clock.monotonic();
    const answer = await readCall(
      () =>
        this.#limited(
          "A call",
          (signal) => session.callTool(tool, input, { signal }),
          this.limits.callMs,
        ),
      () => clock.monotonic() - sinceMs,
    );
    if (this.signal.aborted) throw this.signal.reason;
    const text = answerText(answer);
    this.#count(text);
    this.vocabulary.learn(text);
    return answer;
  }

  async #limited<T>(
    what: string,
    work: (signal: AbortSignal) => Promise<T>,
    limitMs = this.limits.openMs,
  ): Promise<T> {
    const { clock } = this.options;
    this.signal.throwIfAborted();
    this.#actions += 1;
    if (this.#actions > this.limits.actions) this.#exhausted("requests");
    const onLimit = (): Error => timeoutError(what, limitMs);
    const limit = { clock, limitMs, onLimit, parents: [this.signal] };
    try {
      return await withLimit(limit, ({ signal }) => work(signal));
    } catch (error) {
      // Says nothing about the environment, and every further request would fail the same way.
      if (isAppError(error, "environment-billing")) this.#deadline.abort(error);
      throw error;
    }
  }

  #count(text: string): void {
    this.#textUnits += text.length;
    if (this.#textUnits > this.limits.textUnits) this.#exhausted("text");
  }

  #exhausted(what: string): never {
    const error = new AppError(
      "timeout",
      `The check of ${this.remote.name} has reached its limit of ${what}. Check fewer tasks.`,
    );
    this.#deadline.abort(error);
    throw error;
  }
}

/** An open session that records its calls. */
export class PlayedSession implements Play {
  readonly id: string;
  readonly task: PlayedTask;
  readonly prompt: string;
  readonly hasImage: boolean;
  readonly tools: readonly PlayableTool[];
  readonly openMs: number;
  readonly steps: Step[] = [];
  readonly #probe: Probe;
  readonly #session: EnvironmentSession;

  constructor(
    probe: Probe,
    session: EnvironmentSession,
    facts: Pick<PlayedSession, "task" | "prompt" | "hasImage" | "tools" | "openMs">,
  ) {
    this.id = session.id;
    this.task = facts.task;
    this.prompt = facts.prompt;
    this.hasImage = facts.hasImage;
    this.tools = facts.tools;
    this.openMs = facts.openMs;
    this.#probe = probe;
    this.#session = session;
  }

  /** True once a call has ended or broken the episode. */
  get isOver(): boolean {
    const answer = this.steps.at(-1)?.answer;
    return answer !== undefined && (answer.kind === "failed" || isFinal(answer));
  }

  async call(tool: string, input: JsonObject): Promise<CallAnswer> {
    const answer = await this.#probe.answerOf(this.#session, tool, input);
    this.steps.push({ tool, input, answer });
    return answer;
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
