import { describe, expect, it } from "vitest";
import { ByteBudget } from "../../../../src/core/tinker/transport/byteBudget.ts";
import { settle } from "../../../fakes/fakeClock.ts";

/** Reserves, and notes in `entered` when it succeeds. */
function enter(budget: ByteBudget, entered: number[], bytes: number, signal?: AbortSignal) {
  const reserved = budget.reserve(bytes, signal);
  reserved.then(
    () => entered.push(bytes),
    () => undefined,
  );
  return reserved;
}

describe("a budget of bytes", () => {
  it("lets in what fits, and the rest in the order of arrival", async () => {
    const budget = new ByteBudget(100);
    const entered: number[] = [];
    const leave = await enter(budget, entered, 60);
    void enter(budget, entered, 50);
    void enter(budget, entered, 10);
    await settle();
    expect(entered).toEqual([60]);
    leave();
    await settle();
    expect(entered).toEqual([60, 50, 10]);
  });

  it("lets what is larger than the whole pass alone", async () => {
    const budget = new ByteBudget(100);
    const leave = await budget.reserve(1);
    const entered: number[] = [];
    void enter(budget, entered, 500);
    await settle();
    expect(entered).toEqual([]);
    leave();
    await settle();
    expect(entered).toEqual([500]);
  });

  it("makes room for the next when a waiter gives up", async () => {
    const budget = new ByteBudget(100);
    await budget.reserve(60);
    const entered: number[] = [];
    const controller = new AbortController();
    const large = enter(budget, entered, 90, controller.signal);
    void enter(budget, entered, 40);
    controller.abort("enough");
    await expect(large).rejects.toBe("enough");
    await settle();
    expect(entered).toEqual([40]);
  });
});
