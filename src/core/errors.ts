/** The one error type of the program: a code to decide on, and a text written for the person who reads it. */

import type { ErrorCode } from "./errorCodes.ts";

export interface AppErrorDetails {
  /** Structured facts for logs and tests; never secrets. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  /** Dotted path of the configuration key at fault, for example `environments.local/calculator.num_rollouts`. */
  readonly configPath?: string | undefined;
}

/**
 * A fault with a kebab-case `code`. The message says what happened, where, and what to do next.
 * Code decides on `code` through {@link isAppError}, never on the text.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly data: Readonly<Record<string, unknown>>;
  readonly configPath: string | undefined;

  constructor(code: ErrorCode, message: string, details: AppErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "AppError";
    this.code = code;
    this.data = details.data ?? {};
    this.configPath = details.configPath;
  }
}

/** True when `error` is an {@link AppError}, and has one of `codes` if any are given. */
export function isAppError(error: unknown, ...codes: readonly ErrorCode[]): error is AppError {
  return error instanceof AppError && (codes.length === 0 || codes.includes(error.code));
}

/** The message of anything thrown, for logs. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Marks code that the type checker knows to be unreachable. */
export function assertNever(value: never): never {
  throw new AppError("unreachable", `Unexpected value: ${JSON.stringify(value)}`);
}

/** Handles a rejected read by giving `value` where there is no such file. */
export function absent<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isAppError(error, "file-not-found")) return value;
    throw error;
  };
}
