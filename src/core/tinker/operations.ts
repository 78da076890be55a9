/** Operations of the service in two steps: submit to get a future, then wait for its result. */

import type { output, ZodType } from "zod";
import type { TinkerSession } from "./session.ts";
import { tinkerError } from "./transport/errors.ts";
import {
  awaitFuture,
  type FutureOptions,
  type FutureRequest,
  type OperationType,
} from "./transport/futures.ts";
import { checkShape, type RequestOptions } from "./transport/http.ts";
import type { FutureResult } from "./transport/pollAnswer.ts";
import { type PendingFuture, pendingFutureSchema } from "./wire/wire.ts";

export interface Submit {
  readonly type: OperationType;
  readonly path: string;
  /** The bytes of a message, or a value sent as JSON; every retry sends the same. */
  readonly body: object | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent = the session's signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface Accepted {
  readonly type: OperationType;
  readonly future: PendingFuture;
  readonly roundTripMs: number;
}

type ResultOptions = Pick<FutureRequest, "signal" | "withTimerPaused">;

export interface Operations {
  /** @throws AppError `tinker-expired` if the session is over, else like `TinkerHttp.call` */
  submit(submit: Submit, options?: RequestOptions): Promise<Accepted>;
  /** @throws AppError like {@link awaitFuture} */
  result(accepted: Accepted, waiting?: ResultOptions): Promise<FutureResult>;
}

/** Creates the operations of one session. */
export function createOperations(
  options: FutureOptions,
  session: Pick<TinkerSession, "check" | "signal">,
): Operations {
  const { tinker, clock } = options;
  return {
    submit: async ({ type, signal = session.signal, ...request }, callOptions) => {
      session.check();
      const startedAtMs = clock.monotonic();
      const future = await tinker.call(
        { method: "POST", signal, ...request },
        pendingFutureSchema,
        callOptions,
      );
      return { type, future: future, roundTripMs: clock.monotonic() - startedAtMs };
    },
    result: async ({ type, future, roundTripMs }, waiting) =>
      await awaitFuture(options, { requestId: future.request_id, type, roundTripMs, ...waiting }),
  };
}

/** @throws AppError `tinker-protocol` if the result is not JSON of this shape */
export function jsonResult<Schema extends ZodType>(
  result: FutureResult,
  schema: Schema,
  type: OperationType,
): output<Schema> {
  if (result.kind === "json") return checkShape(result.value, schema, type);
  throw tinkerError("tinker-protocol", `The result of ${type} is binary where JSON was expected`);
}

/** Waits for an operation's result as JSON. @throws AppError like {@link Operations.result} and {@link jsonResult} */
export async function jsonOf<Schema extends ZodType>(
  { operations, session }: { readonly operations: Operations; readonly session: TinkerSession },
  accepted: Accepted,
  schema: Schema,
): Promise<output<Schema>> {
  const result = await operations.result(accepted, { signal: session.signal });
  return jsonResult(result, schema, accepted.type);
}
