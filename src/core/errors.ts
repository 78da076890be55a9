/** The program's only error type: a code for decisions, and a message for users. */

import type { ErrorCode } from "./errorCodes.ts";

export interface AppErrorDetails {
  /** Structured facts for logs and tests; never secrets. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  /** Dotted path of the configuration key that caused the error, for example `environments.local/calculator.num_rollouts`. */
  readonly configPath?: string | undefined;
}

/**
 * An error with a kebab-case `code`. The message says what happened, where, and what to do next. Decisions use `code` through
 * {@link isAppError}, never the message.
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

/** True if `error` is an {@link AppError}, with one of `codes` if any are given. */
export function isAppError(error: unknown, ...codes: readonly ErrorCode[]): error is AppError {
  return error instanceof AppError && (codes.length === 0 || codes.includes(error.code));
}

/** The message of any thrown value, for logs. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For code that the type checker knows to be unreachable. */
export function assertNever(value: never): never {
  throw new AppError("unreachable", `Unexpected value: ${JSON.stringify(value)}`);
}

/** Handles a failed read by returning `value` if the file does not exist. */
export function absent<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isAppError(error, "file-not-found")) return value;
    throw error;
  };
}
