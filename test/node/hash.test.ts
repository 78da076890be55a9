import { expect, test } from "vitest";
import { sha256 } from "../../src/node/hash.ts";

test("the digest is lower-case hex over the UTF-8 bytes", () => {
  expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
