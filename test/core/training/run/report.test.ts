import { describe, expect, it } from "vitest";
import { Redactor } from "../../../../src/core/secrets/redaction/redactor.ts";
import { report } from "../../../../src/core/training/run/report.ts";

function setUp(record: () => Promise<void> = async () => undefined) {
  const order: unknown[] = [];
  const redactor = new Redactor();
  redactor.learn("a-long-secret");
  const context = {
    redactor,
    events: {
      record: async (event: unknown) => {
        await record();
        order.push(event);
      },
    },
    watch: (event: unknown) => void order.push(event),
  };
  return { context, order };
}

describe("a report", () => {
  it.each([
    ["warn", "warning"],
    ["info", "notice"],
  ] as const)(
    "with level %s is recorded as an event, then shown as a %s, on one line and without secrets",
    async (level, kind) => {
      const { context, order } = setUp();
      const message = "It failed:\n  a-long-secret is wrong.";
      await report(context, { step: 2, level, kind: "x", message, data: { group: 1 } });
      const cleaned = "It failed: *** is wrong.";
      expect(order).toEqual([
        { step: 2, level, kind: "x", message: cleaned, data: { group: 1 } },
        { kind, message: cleaned },
      ]);
    },
  );

  it("that cannot be recorded is not shown, and fails", async () => {
    const { context, order } = setUp(() => Promise.reject(new Error("disk")));
    const event = { step: null, level: "warn", kind: "x", message: "m" } as const;
    await expect(report(context, event)).rejects.toThrow("disk");
    expect(order).toEqual([]);
  });
});
