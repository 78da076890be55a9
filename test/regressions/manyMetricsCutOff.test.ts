import { describe, expect, it } from "vitest";
import { MetricColumns } from "../../src/core/runFolder/metrics/metricColumns.ts";
import { ColumnQueue } from "../../src/host/dashboard/columnQueue.ts";
import { ColumnStore } from "../../webview-ui/charts/columns.ts";
import { throughWebview } from "../fakes/webviewWire.ts";

function rowWith(metrics: number, step: number): { readonly step: number } {
  const values = Array.from({ length: metrics }, (_, index) => [`metric${index}`, index + step]);
  return { step, ...Object.fromEntries(values) };
}

function sendAll(queue: ColumnQueue, metrics: MetricColumns, page: ColumnStore): void {
  for (let next = queue.next(metrics, metrics.names); next !== null; ) {
    page.append(throughWebview({ rows: metrics.length, ...next }));
    next = queue.next(metrics, metrics.names);
  }
}

describe("rows with more metrics than a message of VS Code has arguments", () => {
  it.each([259, 2_000, 5_000])("arrive whole, live and after reopening: %i", (count) => {
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

  it("beyond what the memory holds, the rest is shown and the reader is informed", () => {
    const metrics = new MetricColumns(1_000);
    for (let step = 0; step < 3; step += 1) metrics.add(rowWith(20, step));
    expect([metrics.names.length, metrics.isTruncated]).toEqual([15, true]);
    expect(Array.from(metrics.values("metric14"))).toEqual([14, 15, 16]);
  });
});
