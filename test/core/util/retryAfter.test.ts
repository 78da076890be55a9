import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryAfterMs } from "../../../src/core/util/retryAfter.ts";

const nowMs = Date.UTC(2026, 0, 1);

function asked(headers: Readonly<Record<string, string>>, maxMs = 60_000): number | null {
  return retryAfterMs({ header: (name) => headers[name] ?? null }, { nowMs, maxMs });
}

describe("Retry-After", () => {
  it.each([
    ["20", 20_000],
    [" 0.5 ", 500],
    ["3600", 60_000],
    ["Thu, 01 Jan 2026 00:00:20 GMT", 20_000],
    ["Thursday, 01-Jan-26 00:00:20 GMT", 20_000],
    ["Fri, 02 Jan 2026 00:00:00 GMT", 60_000],
  ])("%s is a delay", (value, ms) => {
    expect(asked({ "retry-after": value })).toBe(ms);
  });

  it.each(["", "0", "-5", "-5 soon", "1e9", "0x10", "Infinity", "2026-01-02", "Thu, 40 Foo 2026"])(
    "%j means no delay",
    (value) => {
      expect(asked({ "retry-after": value })).toBeNull();
    },
  );

  it("means no delay when absent or in the past", () => {
    expect(asked({})).toBeNull();
    expect(asked({ "retry-after": "Wed, 31 Dec 2025 23:59:59 GMT" })).toBeNull();
  });

  it("in milliseconds takes precedence over seconds, if valid", () => {
    expect(asked({ "retry-after-ms": "40", "retry-after": "3" })).toBe(40);
    expect(asked({ "retry-after-ms": "soon", "retry-after": "3" })).toBe(3_000);
  });

  it("gives the same delay as seconds or as a date, up to the caller's cap", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 1 }),
        (seconds, maxMs) => {
          const date = new Date(nowMs + seconds * 1000).toUTCString();
          const expected = Math.min(seconds * 1000, maxMs);
          expect(asked({ "retry-after": `${seconds}` }, maxMs)).toBe(expected);
          expect(asked({ "retry-after": date }, maxMs)).toBe(expected);
        },
      ),
    );
  });

  it("is never negative, whatever a server sends", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (value, milliseconds) => {
        const ms = asked({ "retry-after": value, "retry-after-ms": milliseconds });
        expect(ms === null || (ms > 0 && ms <= 60_000)).toBe(true);
      }),
    );
  });
});
