/** Pagination of listings. */

import { refusal } from "../../../http/refusal.ts";

export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor: {
    readonly offset: number;
    readonly limit: number;
    readonly total_count: number;
  };
}

/** The part of `all` selected by `limit` and `offset`. @throws AppError `http-refused` 422 */
export function page<T>(all: readonly T[], query: URLSearchParams, defaultLimit: number): Page<T> {
  const limit = count(query, "limit", defaultLimit);
  const offset = count(query, "offset", 0);
  return {
    items: all.slice(offset, offset + limit),
    cursor: { offset, limit, total_count: all.length },
  };
}

function count(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name);
  if (text === null) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) {
    throw refusal(422, `The query parameter ${name} must be a whole number, not ${text}.`);
  }
  return value;
}
