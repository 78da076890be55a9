import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MetricColumns } from "../../../src/core/runFolder/metrics/metricColumns.ts";
import { ColumnQueue } from "../../../src/server/dashboard/columnQueue.ts";
import { inDrawingOrder } from "../../../src/server/dashboard/metricOrder.ts";
import { ColumnStore } from "../../../webview-ui/charts/columns.ts";

function addRows(metrics: MetricColumns, count: number): void {
  for (let row = 0; row < count; row += 1) {
    const step = metrics.length;
    metrics.add({
      step,
      loss: -step,
      rollout: { reward: { mean: step / 10 } },
      ...(step % 3 === 0 ? { rare: step } : {}),
    });
  }
}

/** Sends everything pending, as the session does. */
function sendAll(queue: ColumnQueue, metrics: MetricColumns, page: ColumnStore): readonly number[] {
  const sizes: number[] = [];
  for (;;) {
    const next = queue.next(metrics, inDrawingOrder(metrics.names));
    if (next === null) return sizes;
    page.append({ rows: metrics.length, ...next });
    const parts = [...next.columns, ...(next.steps === null ? [] : [next.steps])];
    sizes.push(parts.reduce((sum, { values }) => sum + values.byteLength, 0));
  }
}

describe("the queue of columns", () => {
  it("sends the page exactly the run's data, in messages of bounded size, as the run grows", () => {
    const growth = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(growth, fc.integer({ min: 400, max: 20_000 }), (counts, budget) => {
        const metrics = new MetricColumns();
        const queue = new ColumnQueue(budget);
        const page = new ColumnStore();
        for (const count of counts) {
          addRows(metrics, count);
          for (const size of sendAll(queue, metrics, page))
            expect(size).toBeLessThanOrEqual(budget);
        }
        expect(Array.from(page.steps())).toEqual(Array.from(metrics.steps()));
        for (const name of metrics.names) {
          expect(Array.from(page.values(name))).toEqual(Array.from(metrics.values(name)));
        }
      }),
      { numRuns: 50 },
    );
  });

  it("sends a completed row again", () => {
    const metrics = new MetricColumns();
    const queue = new ColumnQueue(10_000);
    const page = new ColumnStore();
    addRows(metrics, 3);
    sendAll(queue, metrics, page);
    const row = metrics.add({ step: 1, late: 7 });
    queue.rewind(row ?? 0);
    sendAll(queue, metrics, page);
    expect(page.at("late", 1)).toBe(7);
  });

  it("sends only requested columns, and others once they are requested", () => {
    const metrics = new MetricColumns();
    const queue = new ColumnQueue(10_000);
    addRows(metrics, 3);
    expect(queue.next(metrics, ["loss"])?.columns.map(({ name }) => name)).toEqual(["loss"]);
    expect(queue.next(metrics, ["loss"])).toBeNull();
    const next = queue.next(metrics, ["loss", "rare"]);
    expect([next?.steps, next?.columns.map(({ name }) => name)]).toEqual([null, ["rare"]]);
  });

  it("starts with the columns that are drawn first", () => {
    expect(inDrawingOrder(["zebra", "loss", "rollout/reward/mean"])).toEqual([
      "rollout/reward/mean",
      "loss",
      "zebra",
    ]);
  });
});

function rowWith(metrics: number, step: number): { readonly step: number } {
  const values = Array.from({ length: metrics }, (_, index) => [`metric${index}`, index + step]);
  return { step, ...Object.fromEntries(values) };
}

describe("rows with very many metrics", () => {
  it.each([259, 2_000, 5_000])("arrive complete, live and after reopening: %i", (count) => {
    const metrics = new MetricColumns();
    const live = { queue: new ColumnQueue(240_000), page: new ColumnStore() };
    for (let step = 0; step < 8; step += 1) {
      metrics.add(rowWith(count, step));
      sendAll(live.queue, metrics, live.page);
    }
    const reopened = new ColumnStore();
    sendAll(new ColumnQueue(240_000), metrics, reopened);
    expect(metrics.names).toHaveLength(count);
    for (const page of [live.page, reopened]) {
      const gaps = metrics.names.filter(
        (name, index) =>
          page.values(name).join() !== [0, 1, 2, 3, 4, 5, 6, 7].map((step) => step + index).join(),
      );
      expect(gaps).toEqual([]);
    }
  });

  it("are cut off at the memory limit, with a notice", () => {
    const metrics = new MetricColumns(1_000);
    for (let step = 0; step < 3; step += 1) metrics.add(rowWith(20, step));
    expect([metrics.names.length, metrics.isTruncated]).toEqual([15, true]);
    expect(Array.from(metrics.values("metric14"))).toEqual([14, 15, 16]);
  });
});
