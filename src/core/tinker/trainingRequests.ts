/** What all calls of one model share: its path at the service, the order of its requests, and how one is sent. */

import type { ModelInfo } from "./models.ts";
import type { Accepted, Operations, Submit } from "./operations.ts";
import type { TinkerSession } from "./session.ts";
import type { SubmitQueue } from "./transport/submitQueue.ts";
import type { LossEncoding } from "./wire/lossEncoding.ts";
import type { ClientConfig } from "./wire/wire.ts";

export interface TrainingRequestOptions {
  readonly operations: Operations;
  readonly session: TinkerSession;
  readonly queue: SubmitQueue;
  readonly config: ClientConfig;
  readonly lossEncoding: LossEncoding;
  readonly info: ModelInfo;
}

/** Posts a request whose turn has come. @throws AppError `tinker-*` */
export async function submitInTurn(
  { operations, session }: TrainingRequestOptions,
  request: Submit,
): Promise<Accepted> {
  session.check();
  return operations.submit({ ...request, signal: session.signal });
}
