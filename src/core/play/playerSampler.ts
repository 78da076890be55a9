/** Lets a player replace the model. Moves become turns in the tokens of the model's own format. */

import type { Chat } from "../chat/chat.ts";
import { declareTool } from "../chat/firstPrompt.ts";
import { writtenCall, writtenText } from "../chat/writtenTurn.ts";
import { AppError, isAppError } from "../errors.ts";
import type { ToolList } from "../openreward/types.ts";
import type {
  Sample,
  SampleOptions,
  SampleRequest,
  SamplingClient,
} from "../tinker/samplingClient.ts";
import type { Player, PlayerMove, PlayerView } from "./player.ts";

export type News = Pick<PlayerView, "news" | "isNew">;

export interface PlayerSamplerOptions {
  readonly player: Player;
  readonly chat: Pick<Chat, "renderer" | "tokenizer">;
  /** Tools of the task, known after its session was asked for them. */
  readonly tools: () => ToolList;
  /** Messages to the model since its last call. */
  readonly takeNews: () => News;
}

/** A player's turns have no log-probabilities, so they are never trained on as policy samples. */
export class PlayerSampler implements SamplingClient {
  readonly samplerId = "player";
  readonly baseModel = null;
  readonly #options: PlayerSamplerOptions;
  #turn = 0;
  /** The stream up to the last turn's end. */
  #seen: readonly number[] = [];

  constructor(options: PlayerSamplerOptions) {
    this.#options = options;
  }

  /** Asks again if the format cannot write a call. @throws AppError `stopped` when the player leaves */
  async sample({ prompt }: SampleRequest, { signal }: SampleOptions = {}): Promise<Sample> {
    const { chat, player, tools, takeNews } = this.#options;
    const text = chat.tokenizer.decode(unseenIn(prompt, this.#seen));
    const view = { turn: this.#turn, text, tools: tools() };
    let news = takeNews();
    let tokens: readonly number[] | null = null;
    for (let problem: string | null = null; tokens === null; ) {
      const move = await player.move({ ...view, ...news, problem }, signal);
      news = { news: [], isNew: false };
      try {
        tokens = this.#written(move);
      } catch (error) {
        if (!isAppError(error, "chat-render")) throw error;
        problem = error.message;
      }
    }
    this.#turn += 1;
    this.#seen = [...prompt, ...tokens];
    return { tokens, logprobs: null, stopReason: "stop" };
  }

  /** A player has no probabilities. */
  async computeLogprobs(tokens: readonly number[]): Promise<readonly null[]> {
    return tokens.map(() => null);
  }

  #written(move: PlayerMove): readonly number[] {
    const { chat, tools } = this.#options;
    if (move.kind === "leave") throw new AppError("stopped", "The player has left.");
    if (move.kind === "text") return writtenText(chat, move.text);
    const declared = tools().tools.map(declareTool);
    const { turn, isRead } = writtenCall({ chat, declared, call: move, reasoning: null });
    if (isRead) return turn;
    throw new AppError(
      "chat-render",
      `The format ${chat.renderer.id} cannot write this call of ${move.name} so that it is read again. Change its arguments.`,
    );
  }
}

/** The tokens of a prompt behind the stream `seen`, or all of them if it continues another stream. */
export function unseenIn(prompt: ArrayLike<number>, seen: readonly number[]): readonly number[] {
  const isSame = seen.every((token, i) => prompt[i] === token);
  return Array.from(prompt).slice(isSame ? seen.length : 0);
}
