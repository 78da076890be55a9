import { expect, it } from "vitest";
import { createFisherTest, trustedP } from "../../../src/core/changes/fisherTest.ts";

it("the p-value is twice the smaller tail of the hypergeometric distribution", () => {
  // The lady tasting tea: 4 of 4 right by chance in 1 of 70.
  expect(createFisherTest(4, 4)(0, 4)).toBeCloseTo(2 / 70, 12);
  expect(createFisherTest(4, 4)(4, 0)).toBeCloseTo(2 / 70, 12);
  expect(createFisherTest(4, 4)(1, 3)).toBeCloseTo((2 * 17) / 70, 12);
  // 3 of 20 among 3 of 520: C(20, 3) / C(520, 3).
  expect(createFisherTest(500, 20)(0, 3)).toBeCloseTo((2 * 1_140) / 23_299_640, 12);
});

it("the p-value is 1 for equal shares", () => {
  expect(createFisherTest(100, 50)(40, 20)).toBe(1);
  expect(createFisherTest(10, 10)(0, 0)).toBe(1);
});

it("the same results are significant as in the Benjamini-Hochberg step-up procedure", () => {
  const ps = [0.2, 0.001, 0.012, 0.03, 0.02];
  expect(trustedP(ps, 5, 0.05)).toBe(0.03);
  expect(trustedP(ps, 10, 0.05)).toBe(0.001);
  expect(trustedP(ps, 100, 0.05)).toBe(0);
  expect(trustedP([], 0, 0.05)).toBe(0);
});
