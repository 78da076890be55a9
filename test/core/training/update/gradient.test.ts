import { describe, expect, it } from "vitest";
import { hasGradient, mayHaveGradient } from "../../../../src/core/training/update/gradient.ts";
import { aConfig, aDatum } from "../builders.ts";

describe("a datum", () => {
  const has = (
    changes: Parameters<typeof aConfig>[0],
    { advantage = 0, weight }: { readonly advantage?: number; readonly weight?: number } = {},
  ) => {
    const datum = aDatum({ advantage });
    const weights = datum.mask.length;
    return hasGradient(
      weight === undefined ? datum : { ...datum, weights: new Float64Array(weights).fill(weight) },
      aConfig(changes),
    );
  };

  it("has a gradient at a trained token with an advantage", () => {
    expect(has({}, { advantage: -0.5 })).toBe(true);
    expect(has({}, { advantage: 0 })).toBe(false);
    const context = { mask: Uint8Array.of(0, 1), advantages: Float32Array.of(1, 0) };
    expect(hasGradient(context, aConfig())).toBe(false);
  });

  it("has no gradient when its advantage is too small for 32 bits", () => {
    expect(has({}, { advantage: 1e-50 })).toBe(false);
  });

  it("has one with an advantage of 0 from the penalty of dro", () => {
    expect(has({ loss_fn: "dro" })).toBe(true);
    expect(has({ loss_fn: "dro", loss_fn_config: { beta: 0 } })).toBe(false);
  });

  it("has no gradient with an advantage of 0 and kl_coef if the policy equals the base model", () => {
    expect(has({ kl_coef: 0.1 })).toBe(false);
  });

  it("has no gradient when a correction left no weight, whatever the loss", () => {
    expect(has({ loss_fn: "dro" }, { advantage: 0, weight: 0 })).toBe(false);
    expect(has({ loss_fn: "dro" }, { advantage: 0, weight: 1 })).toBe(true);
  });
});

describe("a rollout with an advantage of 0", () => {
  it("may have a gradient when the loss has a penalty or tokens get their own advantages", () => {
    expect(mayHaveGradient(0, aConfig())).toBe(false);
    expect(mayHaveGradient(0, aConfig({ loss_fn: "dro" }))).toBe(true);
    expect(mayHaveGradient(0, aConfig({ kl_coef: 0.1 }))).toBe(true);
    expect(mayHaveGradient(0.5, aConfig())).toBe(true);
  });
});
