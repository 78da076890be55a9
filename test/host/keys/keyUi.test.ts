import { expect, it, vi } from "vitest";
import { mayBeKey } from "../../../src/host/keys/keyUi.ts";

vi.mock("vscode", async () => (await import("../fakeVscode.ts")).fakeVscode);

const TEXTS = ["Tinker\nTINKER_API_KEY", "models.example.org:8443\n"];

it("a long word that matches no row may be a key, unlike text that filters the rows", () => {
  expect(mayBeKey("tml-0123456789abcdef", TEXTS)).toBe(true);
  expect(mayBeKey(" 0123456789abcdef0123 ", TEXTS)).toBe(true);
  expect(mayBeKey("tinker_api_key", TEXTS)).toBe(false);
  expect(mayBeKey("models.example", TEXTS)).toBe(false);
  expect(mayBeKey("tinker", TEXTS)).toBe(false);
  expect(mayBeKey("the official service", TEXTS)).toBe(false);
});
