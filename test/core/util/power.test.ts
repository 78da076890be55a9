import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { power } from "../../../src/core/util/power.ts";

it("powers have these bits in every Node version", () => {
  const values = Float64Array.from({ length: 20_000 }, (_, i) =>
    power((i + 1) / 20_001, 1 + (i % 37)),
  );
  const digest = createHash("sha256").update(new Uint8Array(values.buffer)).digest("hex");
  expect(digest).toBe("46adb96784a52909651e1b970143fe3421dcfd96dd50547154aefde45d4e99bc");
});

it.each([
  [0.9, 1, 0.9],
  [0.95, 3, 0.857375],
  [0, 2, 0],
  [1, 40, 1],
  [10_000, -0.5, 0.01],
])("%d to the power of %d", (base, exponent, expected) => {
  expect(power(base, exponent)).toBeCloseTo(expected, 12);
});
