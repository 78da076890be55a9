/**
 * An environment task that answers the calls of a conversation. An environment cannot take back a call. If the conversation takes
 * one back, the remaining calls are repeated in a new session, which must give the same answers.
 */

import type { ToolCall } from "../chat/renderer.ts";
import { isSame } from "../config/fields/sameValue.ts";
import { AppError } from "../errors.ts";
import { beginsWithImages, type ImageFile } from "../images/imageFile.ts";
import type { EnvironmentSession, ToolList } from "../openreward/types.ts";
import type { Clock } from "../ports.ts";
import { type DescribeTaskOptions, openTask } from "../rollout/describeTask.ts";
import { type RenderedTask, renderTask } from "../rollout/renderTask.ts";
import { RolloutImages } from "../rollout/rolloutImages.ts";
import { type ToolAnswer, toolAnswer, toolLimit } from "../rollout/runCalls.ts";
import { raceAbort, withLimit } from "../util/abort.ts";
import type { PlayedCall } from "./events.ts";

export interface LiveTaskOptions extends Omit<DescribeTaskOptions, "thinking"> {
  readonly clock: Clock;
}

interface OpenSession {
  readonly session: EnvironmentSession;
  readonly offered: ToolList;
  readonly rendered: RenderedTask;
  readonly images: RolloutImages;
  /** Calls that this session has answered; null after an error, when it is unknown what was run. */
  played: readonly PlayedCall[] | null;
}

export class LiveTask {
  readonly #options: LiveTaskOptions;
  #open: OpenSession;

  private constructor(options: LiveTaskOptions, open: OpenSession) {
    this.#options = options;
    this.#open = open;
  }

  /** @throws AppError `no-such-number`, `environment-*`, `chat-render`, `chat-tools-uncallable`, `rollout-image` */
  static async open(options: LiveTaskOptions): Promise<LiveTask> {
    return new LiveTask(options, await openSession(options));
  }

  get offered(): ToolList {
    return this.#open.offered;
  }

  get rendered(): RenderedTask {
    return this.#open.rendered;
  }

  /** Images from the environment, in the order in which the model sees them. */
  get images(): readonly ImageFile[] {
    return filesOf(this.#open);
  }

  /**
   * Brings the environment to the state after exactly `calls`. On failure, everything except its session is unchanged.
   * @throws AppError `task-not-repeatable` when a new session answers differently; `environment-*`, `timeout`
   */
  async seek(calls: readonly PlayedCall[], signal: AbortSignal): Promise<void> {
    const { played, session } = this.#open;
    const isThere =
      played?.length === calls.length && calls.every(({ call }, i) => played[i]?.call === call);
    if (isThere && !session.ended.aborted) return;
    const opening = this.close().then(() => openSession(this.#options));
    try {
      const fresh = await raceAbort(opening, signal);
      await this.#replay(fresh, calls, signal);
      this.#open = fresh;
    } catch (error) {
      void opening.then(
        (unused) => unused.session.close(),
        () => undefined,
      );
      throw error;
    }
  }

  /** Runs one call. @throws AppError `rollout-after-end`, `environment-*`, `timeout` */
  run(call: ToolCall, signal: AbortSignal): Promise<ToolAnswer> {
    return this.#run(this.#open, call, signal);
  }

  async #replay(
    fresh: OpenSession,
    calls: readonly PlayedCall[],
    signal: AbortSignal,
  ): Promise<void> {
    const showsSameImages = (): boolean => beginsWithImages(this.images, filesOf(fresh));
    const isSamePrompt = isSame(this.rendered.tokens, fresh.rendered.tokens);
    if (!isSamePrompt || !showsSameImages()) throw this.#notRepeatable("it shows another prompt");
    for (const { call, answer } of calls) {
      const { record } = await this.#run(fresh, call, signal);
      if (!isSame(record, answer.record) || !showsSameImages()) {
        throw this.#notRepeatable(`it gives another answer to the call of ${call.name}`);
      }
    }
  }

  async #run(open: OpenSession, call: ToolCall, signal: AbortSignal): Promise<ToolAnswer> {
    const { remote, clock, settings } = this.#options;
    const { session, images, played } = open;
    open.played = null;
    const limit = {
      clock,
      ...toolLimit(call.name, remote.name, settings),
      parents: [signal, session.ended],
    };
    const running = withLimit(limit, (calling) => session.callTool(call.name, call.args, calling));
    const answer = toolAnswer(call, await raceAbort(running, signal), images);
    open.played = played === null ? null : [...played, { call, answer }];
    return answer;
  }

  async close(): Promise<void> {
    await this.#open.session.close();
  }

  #notRepeatable(why: string): AppError {
    const { name } = this.#options.remote;
    return new AppError(
      "task-not-repeatable",
      `${name} cannot return to this point: in a new session ${why}. Its state at this point is lost. Answer the calls yourself from here on, or start over.`,
    );
  }
}

function filesOf({ images }: OpenSession): readonly ImageFile[] {
  return images.all.map(({ file }) => file);
}

async function openSession(options: LiveTaskOptions): Promise<OpenSession> {
  const { remote, chat, settings } = options;
  const session = await openTask(options);
  try {
    const offered = await session.tools();
    const prompt = await session.prompt();
    const images = new RolloutImages({ chat, settings, environment: remote.name });
    const rendered = await renderTask({ prompt, offered, chat, settings, images });
    return { session, offered, rendered, images, played: [] };
  } catch (error) {
    await session.close();
    throw error;
  }
}
