/** What answers the requests of one caller of an endpoint, whatever the protocol. */

import type { Tokenizer } from "../chat/tokenizer.ts";
import type { AnsweredTurn, StoppedTurn } from "./answeredTurn.ts";
import type { EndpointRequest } from "./endpointRequest.ts";
import type { RequestRefusal } from "./refusal.ts";

export interface EndpointModel {
  /** Tokens of the context that a request would begin a conversation with. @throws AppError `chat-render` */
  countTokens(request: EndpointRequest): Promise<number>;
  /**
   * Answers a request with one turn. An abort leaves its conversation as it was before the turn.
   * @throws AppError `endpoint-refused`, `prompt-too-long`, `sample-refused`, `chat-render`, `tinker-*`; the reason of the signal
   */
  turn(request: EndpointRequest, needs: TurnNeeds): Promise<PolicyTurn>;
  /** Learns what was refused, also before it reached {@link turn}. */
  readonly onRefused?: ((refusal: RequestRefusal) => void) | undefined;
}

export interface PolicyTurn extends AnsweredTurn {
  readonly prompt: Int32Array;
  readonly sampled: StoppedTurn;
  /** Tokens of the prompt that the service had computed before. */
  readonly cachedTokens: number;
  /** Gives the text of a token. */
  readonly tokenizer: Pick<Tokenizer, "decode">;
}

export interface TurnNeeds {
  readonly signal: AbortSignal;
  /** Whether log-probabilities that the service did not give are asked for again. */
  readonly needsLogprobs: boolean;
}
