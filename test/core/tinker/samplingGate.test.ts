import { describe, expect, it } from "vitest";
import { SamplingGate } from "../../../src/core/tinker/samplingGate.ts";
import { FakeClock, settle } from "../../fakes/fakeClock.ts";

/** Lets `count` prompts enter, and returns the leave functions of those admitted. */
function enterMany(gate: SamplingGate, count: number, promptTokens = 1) {
  const inside: (() => void)[] = [];
  for (let i = 0; i < count; i++) {
    gate.enter(promptTokens, new AbortController().signal).then(
      (leave) => inside.push(leave),
      () => undefined,
    );
  }
  return inside;
}

function gateWith(promptBytes = 10_000_000) {
  const clock = new FakeClock();
  return { clock, gate: new SamplingGate({ clock, promptBytes }) };
}

describe("the sampling gate", () => {
  it("admits 400 concurrent submits", async () => {
    const { gate } = gateWith();
    const inside = enterMany(gate, 405);
    await settle();
    expect(inside).toHaveLength(400);
    inside[0]?.();
    await settle();
    expect(inside).toHaveLength(401);
  });

  it("limits the bytes of prompts, at ten per token", async () => {
    const { gate } = gateWith(1000);
    const inside = enterMany(gate, 3, 50);
    await settle();
    expect(inside).toHaveLength(2);
  });

  it.each([
    ["a second after a small prompt", 13_107, null, 1000],
    ["five seconds after a large one", 13_108, null, 5000],
    ["as long as the server asks", 1, 7000, 7000],
  ])("is closed for %s", async (_name, promptTokens, askedDelayMs, closedMs) => {
    const { clock, gate } = gateWith();
    gate.pause(promptTokens, askedDelayMs);
    const inside = enterMany(gate, 1);
    await clock.advance(closedMs - 1);
    expect(inside).toHaveLength(0);
    await clock.advance(1);
    expect(inside).toHaveLength(1);
  });

  it("admits ten submits in the ten seconds after a pause", async () => {
    const { clock, gate } = gateWith();
    gate.pause(1, null);
    const inside = enterMany(gate, 30);
    await clock.advance(1000);
    expect(inside).toHaveLength(10);
    await clock.advance(10_000);
    inside[0]?.();
    await settle();
    expect(inside).toHaveLength(30);
  });

  it("counts prompt bytes twentyfold in those ten seconds", async () => {
    const { clock, gate } = gateWith(1000);
    gate.pause(1, null);
    const inside = enterMany(gate, 4, 2);
    await clock.advance(1000);
    expect(inside).toHaveLength(2);
  });

  it("sends back entrants admitted just as a pause begins", async () => {
    const { clock, gate } = gateWith(10);
    const inside = enterMany(gate, 2);
    await settle();
    gate.pause(1, null);
    inside[0]?.();
    await settle();
    expect(inside).toHaveLength(1);
    await clock.advance(1000);
    expect(inside).toHaveLength(2);
  });

  it("admits the next prompt when one is aborted", async () => {
    const { gate } = gateWith(10);
    const inside = enterMany(gate, 1);
    const controller = new AbortController();
    const aborted = gate.enter(1, controller.signal);
    await settle();
    controller.abort("enough");
    await expect(aborted).rejects.toBe("enough");
    inside[0]?.();
    const next = enterMany(gate, 1);
    await settle();
    expect(next).toHaveLength(1);
  });
});
