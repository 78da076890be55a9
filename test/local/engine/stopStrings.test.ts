import { describe, expect, it } from "vitest";
import { StopStringWatch } from "../../../src/local/engine/stopStrings.ts";
import type { ByteTable } from "../../../src/node/tokenizer/byteTable.ts";

const encoder = new TextEncoder();

function table(pieces: readonly Uint8Array[]): ByteTable {
  const starts = new Uint32Array(pieces.length + 1);
  for (const [i, piece] of pieces.entries()) starts[i + 1] = (starts[i] ?? 0) + piece.length;
  return { bytes: Uint8Array.from(pieces.flatMap((piece) => Array.from(piece))), starts };
}

const TEXTS = ["a", "</an", "swer", "> and more", "", "x</answer>y"];
const TOKENS = table(TEXTS.map((text) => encoder.encode(text)));

/** Index of the token after which the watch stops, or -1. */
function stopsAfter(stops: readonly string[], ids: readonly number[], tokens = TOKENS): number {
  const watch = new StopStringWatch(stops, tokens);
  return ids.findIndex((id) => watch.push(id));
}

describe("StopStringWatch", () => {
  it("finds a stop string that crosses token boundaries", () => {
    expect(stopsAfter(["</answer>"], [0, 1, 2, 3, 0])).toBe(3);
  });

  it("finds a stop string in the middle of one token", () => {
    expect(stopsAfter(["</answer>"], [0, 5])).toBe(1);
  });

  it("is not misled by a false start", () => {
    expect(stopsAfter(["</answer>"], [1, 1, 2, 0])).toBe(-1);
    expect(
      stopsAfter(["aab"], [0, 1, 0, 2], table(["a", "a", "b"].map((text) => encoder.encode(text)))),
    ).toBe(3);
  });

  it("watches for several strings", () => {
    expect(stopsAfter(["nothing", "swer"], [0, 1, 2])).toBe(2);
  });

  it("finds a character whose bytes are split over tokens", () => {
    const bytes = encoder.encode("€");
    const split = table([bytes.slice(0, 1), bytes.slice(1, 2), bytes.slice(2)]);
    expect(stopsAfter(["€"], [0, 1, 2], split)).toBe(2);
    expect(stopsAfter(["€"], [1, 2, 0], split)).toBe(-1);
  });

  it("finds text that a client decoded from incomplete characters", () => {
    const broken = table([Uint8Array.of(0x61), Uint8Array.of(0xff), Uint8Array.of(0xfe)]);
    expect(stopsAfter(["\ufffd\ufffd"], [0, 1, 2], broken)).toBe(2);
  });

  it("ignores empty stop strings and ids without bytes", () => {
    expect(stopsAfter([""], [4, 99, 0])).toBe(-1);
  });
});
