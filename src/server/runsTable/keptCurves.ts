/**
 * The columns drawn by the first charts of a comparison, cached for ended runs in files next to the digests, because reading all metrics of
 * a long run takes longer than a user will wait for a chart.
 */

import { dirname } from "node:path";
import * as z from "zod";
import type { FileSystem } from "../../core/ports.ts";
import { readIfReadable } from "../../core/runFolder/files/wholeFiles.ts";
import { MetricColumns } from "../../core/runFolder/metrics/metricColumns.ts";
import { type MetricsRow, metricAt } from "../../core/runFolder/metrics/metricsTree.ts";
import type { RunDigest } from "../../core/runs/runDigest.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import type { ColumnPart } from "../../shared/dashboardTypes.ts";
import { LISTED_METRICS } from "../../shared/runsPage.ts";

/** The metrics of the default charts, and of their horizontal axes. */
const KEPT_METRICS = [
  "rollout/reward/mean",
  ...LISTED_METRICS,
  "time/total_s",
  "tokens/cumulative/trained",
  "cost/cumulative_usd",
];
/** Smaller metrics files are read faster than a user would notice. */
const LEAST_BYTES = 256 * 1024;
const MAX_ROWS = 20_000;
const MAX_FILE_BYTES = 16 * 1024 * 1024;

export interface KeptCurves {
  readonly steps: ColumnPart;
  readonly columns: readonly ColumnPart[];
}

const keptSchema = z.object({
  version: z.literal(1),
  /** Identifies the metrics file that the columns were read from. */
  source: z.string(),
  offset: z.number(),
  /** Float64 values in Base64; the first column is `step`, and all have the same length. */
  columns: z.array(z.object({ name: z.string(), values: z.base64() })),
});

/** Collects the cached metrics row by row. */
export class CurveCollector {
  readonly #metrics = new MetricColumns();

  readonly add = (row: MetricsRow): void => {
    const own = KEPT_METRICS.map((name) => [name, metricAt(row, name)] as const);
    this.#metrics.add({ ...Object.fromEntries(own), step: row.step });
  };

  /** Caches the collected curves at `path` if that is worthwhile. @throws AppError `disk` */
  async store(
    fileSystem: FileSystem,
    path: string,
    { source, offset }: Pick<RunDigest, "source" | "offset">,
  ): Promise<void> {
    const metrics = this.#metrics;
    if (offset < LEAST_BYTES || metrics.length > MAX_ROWS) return;
    const encoded = (values: Float64Array): string =>
      Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("base64");
    const columns = [
      { name: "step", values: encoded(metrics.steps()) },
      ...metrics.names.map((name) => ({ name, values: encoded(metrics.values(name)) })),
    ];
    await fileSystem.makeDirectory(dirname(path));
    await fileSystem.writeAtomic(path, JSON.stringify({ version: 1, source, offset, columns }));
  }
}

/** Null if no curves are cached for the metrics that the digest covers. */
export async function readKeptCurves(
  fileSystem: FileSystem,
  path: string,
  { source, offset }: Pick<RunDigest, "source" | "offset">,
): Promise<KeptCurves | null> {
  const text = await readIfReadable(fileSystem, path, MAX_FILE_BYTES);
  const kept = keptSchema.safeParse(parseJson(text ?? "")?.value).data;
  if (kept?.source !== source || kept.offset !== offset) return null;
  const parts = kept.columns.map(({ name, values }): ColumnPart => {
    const bytes = Uint8Array.from(Buffer.from(values, "base64"));
    const whole = bytes.length - (bytes.length % Float64Array.BYTES_PER_ELEMENT);
    return { name, fromRow: 0, values: new Float64Array(bytes.buffer.slice(0, whole)) };
  });
  const [steps, ...columns] = parts;
  if (steps?.name !== "step") return null;
  return columns.every(({ values }) => values.length === steps.values.length)
    ? { steps, columns }
    : null;
}
