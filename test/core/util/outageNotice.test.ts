import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutageNotice } from "../../../src/core/util/outageNotice.ts";

function setUp() {
  const said: string[] = [];
  const at = { ms: 1_000 };
  const notice = new OutageNotice({
    clock: { monotonic: () => at.ms },
    onOutage: (reason) => said.push(reason),
    onRecovered: () => said.push("over"),
  });
  return { said, at, notice };
}

describe("an outage", () => {
  it("is reported once, after half a minute without any success", () => {
    const { said, at, notice } = setUp();
    notice.failed("first");
    at.ms += 29_999;
    notice.failed("second");
    expect(said).toEqual([]);
    expect(notice.outage).toEqual({ forMs: 29_999, reason: "second" });
    at.ms += 1;
    notice.failed("third");
    notice.failed("fourth");
    notice.recovered();
    notice.recovered();
    expect(said).toEqual(["third", "over"]);
    expect(notice.outage).toBeNull();
  });

  it("that was reported does not end with an answer that completes nothing", () => {
    const { said, at, notice } = setUp();
    notice.failed("down");
    at.ms += 30_000;
    notice.failed("down");
    notice.answered();
    at.ms += 60_000;
    notice.failed("down again");
    at.ms += 60_000;
    notice.failed("down again");
    notice.recovered();
    expect(said).toEqual(["down", "over"]);
  });

  it("counts again after a reset", () => {
    const { said, at, notice } = setUp();
    notice.restart();
    expect(notice.outage).toBeNull();
    notice.failed("down");
    at.ms += 29_000;
    notice.restart();
    at.ms += 29_000;
    notice.failed("down");
    expect(said).toEqual([]);
    at.ms += 1_000;
    notice.failed("down");
    expect(said).toEqual(["down"]);
  });

  it("that will not pass by itself is reported immediately, and covers what follows", () => {
    const { said, at, notice } = setUp();
    notice.report((reason) => said.push(`refused: ${reason}`), "wrong key");
    notice.failed("down");
    at.ms += 40_000;
    notice.failed("down");
    notice.recovered();
    expect(said).toEqual(["refused: wrong key", "over"]);
  });

  it("is reported and cleared alternately, and never within half a minute of a success", () => {
    const action = fc.constantFrom("failed", "answered", "recovered", "restart");
    const steps = fc.array(fc.tuple(action, fc.integer({ min: 0, max: 20_000 })));
    fc.assert(
      fc.property(steps, (all) => {
        const { said, at, notice } = setUp();
        let rightMs = at.ms;
        const sinceRightMs: number[] = [];
        for (const [what, ms] of all) {
          at.ms += ms;
          const reports = said.length;
          notice[what]("down");
          if (what !== "failed") rightMs = at.ms;
          else if (said.length > reports) sinceRightMs.push(at.ms - rightMs);
        }
        expect(sinceRightMs.filter((ms) => ms < 30_000)).toEqual([]);
        expect(said).toEqual(said.map((_, index) => (index % 2 === 0 ? "down" : "over")));
      }),
    );
  });
});
