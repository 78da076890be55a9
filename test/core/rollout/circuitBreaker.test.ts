import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { CircuitBreaker } from "../../../src/core/rollout/circuitBreaker.ts";
import { FakeClock, settle } from "../../fakes/fakeClock.ts";

const FAULT = new AppError("environment-unavailable", "gone");
const REST_MS = 30_000;

function setUp() {
  const clock = new FakeClock();
  const changes: boolean[] = [];
  const circuit: CircuitBreaker = new CircuitBreaker(clock, () =>
    changes.push(circuit.opened !== null),
  );
  const passed: string[] = [];
  const pass = async (name: string) => {
    await circuit.admit(new AbortController().signal);
    passed.push(name);
  };
  return { clock, circuit, changes, passed, pass };
}

/** Failures and successes, in this order. */
function report(circuit: CircuitBreaker, failed: number, succeeded: number): void {
  for (let i = 0; i < succeeded; i += 1) circuit.succeeded();
  for (let i = 0; i < failed; i += 1) circuit.failed(FAULT);
}

describe("a circuit", () => {
  it.each([
    [16, 4, true],
    [15, 5, false],
    [19, 0, false],
    [16, 40, true],
    [15, 40, false],
  ])("with %i failures after %i successes is open: %s", (failed, succeeded, isOpen) => {
    const { circuit } = setUp();
    report(circuit, failed, succeeded);
    expect(circuit.opened !== null).toBe(isOpen);
  });

  it("lets everyone pass while it is closed", async () => {
    const { passed, pass } = setUp();
    await Promise.all([pass("a"), pass("b")]);
    expect(passed).toEqual(["a", "b"]);
  });
});

describe("an open circuit", () => {
  it("lets one attempt find out after half a minute, and all of them pass when that went well", async () => {
    const { circuit, clock, passed, pass, changes } = setUp();
    circuit.open(FAULT);
    for (const name of ["a", "b", "c"]) void pass(name);
    await clock.advance(REST_MS - 1);
    expect(passed).toEqual([]);
    await clock.advance(1);
    expect(passed).toEqual(["a"]);
    await clock.advance(10 * REST_MS);
    expect(passed).toEqual(["a"]);
    circuit.succeeded();
    await settle();
    expect(passed).toEqual(["a", "b", "c"]);
    expect(changes).toEqual([true, false]);
    expect(clock.sleeping).toBe(0);
  });

  it("rests again when that failed, and asks the next one", async () => {
    const { circuit, clock, passed, pass } = setUp();
    circuit.open(FAULT);
    for (const name of ["a", "b"]) void pass(name);
    await clock.advance(REST_MS);
    circuit.failed(FAULT);
    await clock.advance(REST_MS - 1);
    expect(passed).toEqual(["a"]);
    await clock.advance(1);
    expect(passed).toEqual(["a", "b"]);
    expect(circuit.opened).toMatchObject({ sinceMs: 0, tries: 1 });
  });

  it("does not take the end of an older attempt for a sign", () => {
    const { circuit } = setUp();
    circuit.open(FAULT);
    circuit.succeeded();
    expect(circuit.opened).not.toBeNull();
  });

  it("can be held, and be tried at once", async () => {
    const { circuit, clock, passed, pass } = setUp();
    circuit.open(FAULT);
    void pass("a");
    circuit.holdTrials();
    await clock.advance(10 * REST_MS);
    expect(passed).toEqual([]);
    circuit.retryNow();
    await settle();
    expect(passed).toEqual(["a"]);
    expect(circuit.opened?.sinceMs).toBe(10 * REST_MS);
  });

  it("lets those who are no longer needed go", async () => {
    const { circuit, clock, passed, pass } = setUp();
    circuit.open(FAULT);
    const stopping = new AbortController();
    const first = circuit.admit(stopping.signal);
    void pass("b");
    stopping.abort(FAULT);
    await expect(first).rejects.toBe(FAULT);
    await clock.advance(REST_MS);
    expect(passed).toEqual(["b"]);
  });
});
