import { expect, it } from "vitest";
import { headerFault, keyFault, requireKeyForm } from "../../../src/core/secrets/keyForm.ts";

it.each(["tml-1", "header.pay-load.signa_ture", "Bearer of two words", '"tml'])(
  "%s can be a key",
  (key) => {
    expect(keyFault(key)).toBeNull();
  },
);

it.each([
  ["tml-1\r", "has spaces or line ends around it"],
  [" tml-1", "has spaces or line ends around it"],
  ['"tml-1"', "has quotes around it"],
  ["'tml-1'", "has quotes around it"],
  ["tml-\u00e4", "contains characters that no key has"],
  ["tml-1\r\ntml-2", "contains characters that no key has"],
])("%j cannot be a key because it %s", (key, fault) => {
  expect(keyFault(key)).toBe(fault);
});

it.each(["a\r", "a\nb", "a\0", "\u0100"])("%j cannot be sent in a header", (value) => {
  expect(headerFault(value)).toMatch(/^contains a line end, or another character/);
});

it("an invalid key is reported by its variable and source, never by its value", () => {
  const key = { name: "TINKER_API_KEY", value: "tml-secret\r", origin: "dotenv" } as const;
  expect(() => requireKeyForm(key)).toThrow(
    expect.objectContaining({
      code: "key-invalid",
      message:
        "TINKER_API_KEY (from .env) has spaces or line ends around it. Correct it where it is set.",
      data: { name: "TINKER_API_KEY" },
    }),
  );
});
