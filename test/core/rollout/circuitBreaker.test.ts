import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { CircuitBreaker } from "../../../src/core/rollout/circuitBreaker.ts";
import { FakeClock, settle } from "../../fakes/fakeClock.ts";

const FAULT = new AppError("environment-unavailable", "gone");
const RETRY_MS = 30_000;

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

describe("a circuit", () => {
  it("lets everyone pass while it is closed", async () => {
    const { passed, pass } = setUp();
    await Promise.all([pass("a"), pass("b")]);
    expect(passed).toEqual(["a", "b"]);
  });
});

describe("an open circuit", () => {
  it("lets one attempt probe after half a minute, and all of them pass when the probe succeeds", async () => {
    const { circuit, clock, passed, pass, changes } = setUp();
    circuit.failed(FAULT);
    for (const name of ["a", "b", "c"]) void pass(name);
    await clock.advance(RETRY_MS - 1);
    expect(passed).toEqual([]);
    await clock.advance(1);
    expect(passed).toEqual(["a"]);
    await clock.advance(10 * RETRY_MS);
    expect(passed).toEqual(["a"]);
    circuit.succeeded();
    await settle();
    expect(passed).toEqual(["a", "b", "c"]);
    expect(changes).toEqual([true, false]);
    expect(clock.sleeping).toBe(0);
  });

  it("waits again when the probe failed, and lets the next one probe", async () => {
    const { circuit, clock, passed, pass } = setUp();
    circuit.failed(FAULT);
    for (const name of ["a", "b"]) void pass(name);
    await clock.advance(RETRY_MS);
    circuit.failed(FAULT);
    await clock.advance(RETRY_MS - 1);
    expect(passed).toEqual(["a"]);
    await clock.advance(1);
    expect(passed).toEqual(["a", "b"]);
    expect(circuit.opened).toMatchObject({ sinceMs: 0, isProbing: true });
  });

  it("ignores the end of an older attempt", async () => {
    const { circuit, clock, passed, pass } = setUp();
    circuit.failed(FAULT);
    void pass("a");
    circuit.succeeded();
    await clock.advance(RETRY_MS - 1);
    circuit.failed(FAULT);
    expect(circuit.opened).not.toBeNull();
    await clock.advance(1);
    expect(passed).toEqual(["a"]);
  });

  it("can be paused, and be probed at once", async () => {
    const { circuit, clock, passed, pass } = setUp();
    circuit.failed(FAULT);
    void pass("a");
    circuit.pauseProbes();
    await clock.advance(10 * RETRY_MS);
    expect(passed).toEqual([]);
    circuit.retryNow();
    await settle();
    expect(passed).toEqual(["a"]);
    expect(circuit.opened?.sinceMs).toBe(10 * RETRY_MS);
  });

  it("ends the wait of an attempt that is aborted", async () => {
    const { circuit, clock, passed, pass } = setUp();
    circuit.failed(FAULT);
    const stopping = new AbortController();
    const first = circuit.admit(stopping.signal);
    void pass("b");
    stopping.abort(FAULT);
    await expect(first).rejects.toBe(FAULT);
    await clock.advance(RETRY_MS);
    expect(passed).toEqual(["b"]);
  });
});
