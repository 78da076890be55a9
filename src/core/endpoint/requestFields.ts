/** Reads the keys of a request and refuses keys that were never read, so that nothing is silently ignored. */

import { ColumnError, shown } from "../chat/openaiMessages.ts";
import { type ExactJsonObject, ExactNumber, isExactObject } from "../util/exactJson.ts";
import { endpointRefusal } from "./refusal.ts";

interface Range {
  readonly from?: number;
  /** An exclusive lower bound instead of `from`. */
  readonly above?: number;
  readonly to: number;
  readonly isInteger?: boolean;
}

export class RequestFields {
  readonly #body: Readonly<Record<string, unknown>>;
  /** Path of the object; empty for the body. */
  readonly #path: string;
  readonly #read = new Set<string>();

  /** @throws ColumnError unless `given` is an object */
  constructor(given: unknown, path = "") {
    if (!isExactObject(given)) {
      throw new ColumnError(path === "" ? "body" : path, `expected an object, got ${shown(given)}`);
    }
    this.#body = given;
    this.#path = path;
  }

  /** The value as sent; null becomes undefined. */
  value(key: string): unknown {
    this.#read.add(key);
    return (Object.hasOwn(this.#body, key) ? this.#body[key] : undefined) ?? undefined;
  }

  /** @throws ColumnError */
  number(key: string, range: Range): number | null {
    const { from = Number.NEGATIVE_INFINITY, above, to, isInteger = false } = range;
    const given = this.value(key);
    if (given === undefined) return null;
    const number = given instanceof ExactNumber ? Number(given.text) : given;
    if (typeof number === "number" && number >= from && number <= to) {
      const isAbove = above === undefined || number > above;
      if (isAbove && (!isInteger || Number.isInteger(number))) return number;
    }
    const kind = isInteger ? "an integer" : "a number";
    const least = to === Number.MAX_SAFE_INTEGER ? `of at least ${from}` : `from ${from} to ${to}`;
    const bounds = above === undefined ? least : `above ${above}, at most ${to}`;
    throw this.#wrong(key, `expected ${kind} ${bounds}, got ${shown(given)}`);
  }

  /** @throws ColumnError */
  flag(key: string): boolean | null {
    const given = this.value(key);
    if (given === undefined || typeof given === "boolean") return given ?? null;
    throw this.#wrong(key, `expected true or false, got ${shown(given)}`);
  }

  /** @throws ColumnError */
  text(key: string): string | null {
    const given = this.value(key);
    if (given === undefined || typeof given === "string") return given ?? null;
    throw this.#wrong(key, `expected text, got ${shown(given)}`);
  }

  /** A text or a list of texts. @throws ColumnError */
  texts(key: string, most: number): readonly string[] {
    const given = this.value(key);
    const list = given === undefined ? [] : Array.isArray(given) ? given : [given];
    if (list.length > most) throw this.#wrong(key, `expected at most ${most} texts`);
    return list.map((text) => {
      if (typeof text === "string" && text !== "") return text;
      throw this.#wrong(key, `expected texts that are not empty, got ${shown(text)}`);
    });
  }

  /** Refuses all values of a key except the `allowed` ones, which need no support. @throws AppError `endpoint-refused` */
  only(key: string, allowed: readonly unknown[], why: string): void {
    const given = this.value(key);
    const plain = given instanceof ExactNumber ? Number(given.text) : given;
    if (plain === undefined || allowed.includes(plain)) return;
    throw endpointRefusal(`${this.#path}${key}: ${shown(given)} is not supported. ${why}`, {
      param: this.#path + key,
    });
  }

  /** Accepts keys that do not affect the answer. */
  ignore(...keys: readonly string[]): void {
    for (const key of keys) this.#read.add(key);
  }

  /** @throws AppError `endpoint-refused` for a key that was not read and is not null */
  refuseOthers(): void {
    const other = Object.entries(this.#body).find(([key, value]) => {
      return value !== null && !this.#read.has(key);
    });
    if (other === undefined) return;
    const param = this.#path + other[0];
    throw endpointRefusal(`${param}: this endpoint does not know this parameter. Leave it out.`, {
      param,
    });
  }

  #wrong(key: string, reason: string): ColumnError {
    return new ColumnError(this.#path + key, reason);
  }
}

/** The required text of an object at `column` under `key`. @throws ColumnError */
export function stringAt(object: ExactJsonObject, key: string, column: string): string {
  const value = object[key];
  if (typeof value === "string") return value;
  throw new ColumnError(`${column}.${key}`, `expected text, got ${shown(value)}`);
}
