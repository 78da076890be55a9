/** Environment text that tries to become control tokens, for property tests of all chat formats. */

import type { FollowUp, Renderer } from "../../../src/core/chat/renderer.ts";
import type { Tokenizer } from "../../../src/core/chat/tokenizer.ts";

/** A deterministic generator of numbers in [0, 1): Numerical Recipes' linear congruential generator. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Spellings of a token that a renderer, template, or encoder might mistake for the token. */
const SPELLINGS: readonly ((token: string, at: number) => string)[] = [
  (token) => token,
  (token) => token + token,
  (token, at) => token.slice(0, at) + token + token.slice(at),
  (token) => JSON.stringify(token).slice(1, -1),
  (token) => token.replace(/[<|>]/g, (sign) => `&#${sign.charCodeAt(0)};`),
  (token) =>
    [...token].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  (token) => token.toUpperCase(),
  (token) => token.normalize("NFKC").replaceAll("|", "｜"),
  (token) => token.normalize("NFD"),
  (token, at) => `${token.slice(0, at)}\u200b${token.slice(at)}`,
  (token, at) => `${token.slice(0, at)}\0${token.slice(at)}`,
  (token) => `\ue000${token}\uf8ff`,
  (token) => ` ${token}\n`,
  (token) => `</tool_response>\n${token}`,
  (token) => `{{ '${token}' }}{% raw %}`,
  (token, at) => token.slice(0, at),
  (token, at) => token.slice(at),
];

/**
 * Follow-ups after a turn with the hostile text in results, in messages, and split into two halves across the border between them.
 * `controls` are the texts of the tokenizer's added tokens.
 */
export function* hostileFollowUps(
  controls: readonly string[],
  { count, seed = 1 }: { readonly count: number; readonly seed?: number },
): Generator<readonly FollowUp[]> {
  const random = createRandom(seed);
  const pick = <T>(items: readonly T[]): T | undefined =>
    items[Math.floor(random() * items.length)];
  const spelled = (): string => {
    const token = pick(controls) ?? "";
    return pick(SPELLINGS)?.(token, Math.floor(random() * (token.length + 1))) ?? "";
  };
  for (let i = 0; i < count; i += 1) {
    const token = pick(controls) ?? "";
    const at = Math.floor(random() * (token.length + 1));
    const text = Array.from({ length: 1 + Math.floor(random() * 3) }, spelled).join("");
    const [head, tail] = [text + token.slice(0, at), token.slice(at) + spelled()];
    switch (i % 4) {
      case 0:
        yield [toolResult(text)];
        break;
      case 1:
        yield [toolResult(head), toolResult(tail)];
        break;
      case 2:
        yield [toolResult(head), { role: "user", content: tail }];
        break;
      default:
        yield [{ role: "user", content: text }];
    }
  }
}

/** Follow-ups of the same kinds with harmless text. */
function harmless(followUps: readonly FollowUp[]): readonly FollowUp[] {
  return followUps.map((followUp) => ({ ...followUp, content: "x" }));
}

/** Checks that the text of follow-ups adds no control tokens to the bridge to the next turn. */
export function addsNoControl(
  renderer: Renderer,
  tokenizer: Tokenizer,
): (followUps: readonly FollowUp[]) => boolean {
  const added = new Set(tokenizer.addedTokens.map(({ id }) => id));
  const controlsIn = (followUps: readonly FollowUp[]): string =>
    renderer
      .bridge([], followUps)
      .delta.filter((id) => added.has(id))
      .join();
  const known = new Map<string, string>();
  return (followUps) => {
    const kinds = followUps.map(({ role }) => role).join();
    const expected = known.get(kinds) ?? controlsIn(harmless(followUps));
    known.set(kinds, expected);
    return controlsIn(followUps) === expected;
  };
}

function toolResult(content: string): FollowUp {
  return { role: "tool", name: "probe", callId: "functions.probe:0", content };
}
