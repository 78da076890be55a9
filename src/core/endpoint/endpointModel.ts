/** Answers the requests of one caller of an endpoint, whatever the protocol. */

import type { Tokenizer } from "../chat/tokenizer.ts";
import type { AnsweredTurn, StoppedTurn } from "./answeredTurn.ts";
import type { EndpointRequest } from "./endpointRequest.ts";
import type { RequestRefusal } from "./refusal.ts";

export interface EndpointModel {
  /** Context tokens of a request as the start of a new conversation. @throws AppError `chat-render` */
  countTokens(request: EndpointRequest): Promise<number>;
  /**
   * Answers a request with one turn. After an abort, the conversation is as it was before the turn.
   * @throws AppError `endpoint-refused`, `prompt-too-long`, `sample-refused`, `chat-render`, `tinker-*`; the reason of the signal
   */
  turn(request: EndpointRequest, needs: TurnNeeds): Promise<PolicyTurn>;
  /** Called with each refusal, even before the request reached {@link turn}. */
  readonly onRefused?: ((refusal: RequestRefusal) => void) | undefined;
}

export interface PolicyTurn extends AnsweredTurn {
  readonly prompt: Int32Array;
  readonly sampled: StoppedTurn;
  /** Prompt tokens that the service had cached. */
  readonly cachedTokens: number;
  /** Decodes tokens to text. */
  readonly tokenizer: Pick<Tokenizer, "decode">;
}

export interface TurnNeeds {
  readonly signal: AbortSignal;
  /** Whether missing log-probabilities are requested separately. */
  readonly needsLogprobs: boolean;
}
