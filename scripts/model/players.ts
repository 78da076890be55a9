/**
 * Scripted players of mixed quality. From their games the embedded base model learns to play badly: it knows formats and tools, but
 * good habits are left for reinforcement learning to find.
 */

import type { JsonObject } from "../../src/core/json.ts";
import { DEPOT_ITEMS } from "../../src/local/environment/depot.ts";
import { integerBetween } from "../../src/local/random.ts";

/** An earlier turn: the player's output and the results. */
export interface Exchange {
  readonly said: string;
  readonly results: readonly string[];
}

export interface Situation {
  readonly task: JsonObject;
  readonly history: readonly Exchange[];
  readonly uniform: () => number;
  /** `careful` plays well, `hasty` skips work, `sloppy` makes mistakes. */
  readonly style: Style;
}

export type Style = "careful" | "hasty" | "sloppy";

export interface Player {
  /** The environment that it plays. */
  readonly environment: string;
  /** Shares of careful and hasty games; the rest are sloppy. */
  readonly careful: number;
  readonly hasty: number;
  /** Text of the next turn, without its end token. */
  turn(situation: Situation): string;
}

/** A tool call in the chat template's format. */
function call(name: string, args: Readonly<Record<string, string | number>>): string {
  const inner = Object.entries(args)
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(", ");
  return `<tool_call>\n{"name": "${name}", "arguments": {${inner}}}\n</tool_call>`;
}

/** Occasionally breaks a turn's format: plain text, an unclosed call, or a wrong argument name. */
function fumbled(text: string, uniform: () => number, rate: number): string {
  const u = uniform();
  if (u < rate / 3) return text.replace("\n</tool_call>", "");
  if (u < (2 * rate) / 3) return text.replace(/\{"(\w+)": (?=["\d])(?!"name)/, '{"x": ');
  if (u < rate) return text.replace(/[^0-9A-Za-z ]+/g, " ").trim();
  return text;
}

const number = (text: string | undefined): boolean => text !== undefined && /^-?\d+$/.test(text);

const calculator: Player = {
  environment: "calculator",
  careful: 0.17,
  hasty: 0.63,
  turn({ task, history, uniform, style }) {
    const { a, operator, b } = task as { a: number; operator: string; b: number };
    const last = history.at(-1)?.results.at(-1);
    if (number(last)) {
      const wrong = style === "sloppy" && uniform() < 0.3;
      return call("answer", {
        value: wrong ? String(integerBetween(uniform, 0, 200)) : (last ?? ""),
      });
    }
    if (style === "hasty") {
      const truth = operator === "+" ? a + b : operator === "-" ? a - b : a * b;
      return fumbled(
        call("answer", { value: String(truth + integerBetween(uniform, -20, 20)) }),
        uniform,
        0.04,
      );
    }
    const expr = `${a}${operator}${b}`;
    const slipped = style === "sloppy" ? slipDigit(expr, uniform) : expr;
    return fumbled(call("calc", { expr: slipped }), uniform, 0.06);
  },
};

function slipDigit(expr: string, uniform: () => number): string {
  const at = integerBetween(uniform, 0, expr.length - 1);
  if (!/\d/.test(expr[at] ?? "")) return expr;
  return expr.slice(0, at) + String(integerBetween(uniform, 1, 9)) + expr.slice(at + 1);
}

const numberHunt: Player = {
  environment: "number-hunt",
  careful: 0.2,
  hasty: 0.4,
  turn({ task, history, uniform, style }) {
    const limit = Number(task["limit"]);
    const [low, high] = knownRange(limit, history);
    const guess =
      style === "careful"
        ? Math.floor((low + high) / 2)
        : style === "hasty"
          ? integerBetween(uniform, low, high)
          : integerBetween(uniform, 1, limit);
    return fumbled(call("guess", { n: guess }), uniform, 0.05);
  },
};

function knownRange(limit: number, history: readonly Exchange[]): readonly [number, number] {
  let low = 1;
  let high = limit;
  for (const { said, results } of history) {
    const guess = Number(/"n": (\d+)/.exec(said)?.[1] ?? Number.NaN);
    if (results.at(-1) === "higher") low = Math.max(low, guess + 1);
    if (results.at(-1) === "lower") high = Math.min(high, guess - 1);
  }
  return low > high ? [1, limit] : [low, high];
}

const keyVault: Player = {
  environment: "key-vault",
  careful: 0.14,
  hasty: 0.72,
  turn({ task, history, uniform, style }) {
    const start = String(task["start"]);
    const last = history.at(-1)?.results.at(-1);
    if (number(last)) {
      const wrong = style === "sloppy" && uniform() < 0.2;
      return wrong ? vaultGuess(uniform) : call("answer", { value: last ?? "" });
    }
    if (last !== undefined && /^K\d\d$/.test(last)) return vaultHop(start, last, uniform, style);
    if (style === "hasty" && uniform() < 0.85) return fumbled(vaultGuess(uniform), uniform, 0.04);
    const wrong = style === "sloppy" && uniform() < 0.3;
    const key = wrong ? `K${integerBetween(uniform, 10, 99)}` : start;
    return fumbled(call("lookup", { key }), uniform, 0.06);
  },
};

function vaultGuess(uniform: () => number): string {
  return call("answer", { value: String(integerBetween(uniform, 100, 999)) });
}

/** The turn after a box that contained another key. */
function vaultHop(start: string, key: string, uniform: () => number, style: Style): string {
  if (style === "careful") return call("lookup", { key });
  if (style === "hasty") return vaultGuess(uniform);
  return call("lookup", { key: uniform() < 0.4 ? start : key });
}

const depot: Player = {
  environment: "depot",
  careful: 0.14,
  hasty: 0.72,
  turn({ task, history, uniform, style }) {
    const order = task["order"] as readonly string[];
    const results = history.flatMap((exchange) => exchange.results);
    const shelf = /^shelf ([A-H])$/.exec(results.at(-1) ?? "")?.[1];
    const picked = results.filter((text) => text.startsWith("picked"));
    const anyShelf = (): string => "ABCDEFGH"[integerBetween(uniform, 0, 7)] ?? "A";
    if (shelf !== undefined) {
      const wrong = style === "sloppy" && uniform() < 0.4;
      return fumbled(call("pick", { shelf: wrong ? anyShelf() : shelf }), uniform, 0.03);
    }
    const ready = picked.length === order.length;
    const tired = style !== "careful" && uniform() < (history.length > 1 ? 0.6 : 0.15);
    if (ready || tired) return call("ship", {});
    if (style === "hasty" && uniform() < 0.85)
      return fumbled(call("pick", { shelf: anyShelf() }), uniform, 0.04);
    const wanted = order.find((item) => !picked.includes(`picked ${item}`)) ?? order[0] ?? "bolt";
    const wrong = style === "sloppy" && uniform() < 0.3;
    const item = wrong ? (DEPOT_ITEMS[integerBetween(uniform, 0, 7)] ?? wanted) : wanted;
    return fumbled(call("find", { item }), uniform, 0.04);
  },
};

export const PLAYERS: readonly Player[] = [calculator, numberHunt, keyVault, depot];
