/**
 * The rows of the Tinker wire's tables of errors, retries and polls that a list of faults can play: what our client sends
 * again, after which pauses, and how it ends. Comments say where it differs from the official client.
 */

import type { Fault } from "./faultSession.ts";

/** A training step, a sample, the creation of a model. */
export type Call = "step" | "sample" | "create";

export interface FaultRow {
  /** Section and first cell of the table's row. */
  readonly row: string;
  readonly phase: "submit" | "poll";
  readonly calls: readonly Call[];
  readonly fault: string;
  /** One request each, in this order; then the server answers normally. */
  readonly replies: readonly Fault[];
  /** The last reply repeats forever. */
  readonly isEndless?: true;
  /** Flags of the server. */
  readonly config?: object;
  /** Sum of the pauses, in virtual time. */
  readonly pausesMs: number;
  /** Absent = one more than there are replies. */
  readonly requests?: number;
  /** Absent = the call succeeds. */
  readonly code?: string;
  /** A part of the error's content. */
  readonly data?: object;
}

type Short = Omit<FaultRow, "row" | "phase" | "calls" | "fault"> & { readonly fault?: string };

const ALL: readonly Call[] = ["step", "sample", "create"];
const TRAINING: readonly Call[] = ["step", "create"];
const detail = { detail: "because" };
const QUICK_MS = [250, 500, 1000, 2000, 4000, 5000];
const BACKOFF_MS = [500, 1000, 2000, 4000, 8000, 10_000];
const LOST_MS = [1000, 2000, 4000, 8000, 16_000, 30_000];

/** Sum of the first pauses; the last of the list repeats. */
function sum(pauses: readonly number[], count: number): number {
  return Array.from({ length: count }, (_, i) => pauses[i] ?? pauses.at(-1) ?? 0).reduce(
    (total, pause) => total + pause,
    0,
  );
}

function times(count: number, reply: Fault): readonly Fault[] {
  return Array.from({ length: count }, () => reply);
}

const submit = (row: string, calls: readonly Call[], short: Short): FaultRow => ({
  row,
  phase: "submit",
  calls,
  fault: row.split(" ").slice(1).join(" "),
  ...short,
});
const poll = (row: string, calls: readonly Call[], short: Short): FaultRow => ({
  ...submit(row, calls, short),
  phase: "poll",
});

/** The first answer is final. */
function final(status: number, code: string): Short {
  const data = { status, ...detail };
  return { replies: [{ status, json: detail }], requests: 1, pausesMs: 0, code, data };
}

function twice(reply: Fault, pauses: readonly number[]): Short {
  return { replies: times(2, reply), pausesMs: sum(pauses, 2) };
}

function waiting(type: "retry-after" | "retry-after-ms", value: string): Fault {
  return { status: 503, headers: { [type]: value } };
}

const BILL_MS = [5000];

const STATUSES: readonly FaultRow[] = [
  submit("2.1 302", ALL, final(302, "tinker-protocol")),
  submit("2.1 400", ALL, final(400, "tinker-bad-request")),
  submit("2.1 401", ALL, final(401, "tinker-auth")),
  submit("2.1 402", ALL, twice({ status: 402, json: detail }, BILL_MS)),
  submit("2.1 403", ALL, final(403, "tinker-auth")),
  submit("2.1 404", ALL, final(404, "tinker-not-found")),
  // The official client repeats a 409 for 300 s.
  submit("2.1 409", ALL, final(409, "tinker-conflict")),
  submit("2.1 410", TRAINING, final(410, "tinker-expired")),
  submit("2.1 413", ALL, final(413, "tinker-bad-request")),
  submit("2.1 422", ALL, final(422, "tinker-bad-request")),
  // The official client fails.
  submit("2.1 425", ALL, twice({ status: 425, json: detail }, BACKOFF_MS)),
  submit("2.1 429", TRAINING, twice({ status: 429, json: detail }, BACKOFF_MS)),
  submit("2.1 429", TRAINING, {
    fault: "429 with a requested wait",
    ...twice({ status: 429, headers: { "retry-after": "3" } }, [3000]),
  }),
  submit("7.4 429 from asample", ["sample"], twice({ status: 429, json: detail }, [1000])),
  submit("7.4 429 from asample", ["sample"], {
    fault: "429 with a requested wait",
    ...twice({ status: 429, headers: { "retry-after-ms": "40" } }, [40]),
  }),
  submit("2.1 5xx, 504", ALL, { fault: "500", ...twice({ status: 500 }, BACKOFF_MS) }),
  submit("2.1 5xx, 504", ALL, { fault: "502", ...twice({ status: 502 }, BACKOFF_MS) }),
  submit("2.1 5xx, 504", ALL, { fault: "504", ...twice({ status: 504 }, BACKOFF_MS) }),
];

const RETRIES: readonly FaultRow[] = [
  submit("2.2 any exception", ALL, { fault: "lost", ...twice("lost", BACKOFF_MS) }),
  submit("2.2 408", ALL, twice({ status: 408, json: detail }, BACKOFF_MS)),
  submit("2.2 x-should-retry: true", ALL, {
    ...twice({ status: 400, headers: { "x-should-retry": "true" } }, BACKOFF_MS),
  }),
  submit("2.2 x-should-retry: false", ALL, {
    replies: [{ status: 503, headers: { "x-should-retry": "false" } }],
    requests: 1,
    pausesMs: 0,
    code: "tinker-unavailable",
  }),
  submit("2.2 retry-after: 3", ALL, twice(waiting("retry-after", "3"), [3000])),
  submit("2.2 retry-after-ms: 40", ALL, twice(waiting("retry-after-ms", "40"), [40])),
  submit("2.2 retry-after: 0 counts as none", ALL, twice(waiting("retry-after", "0"), BACKOFF_MS)),
  submit("2.2 retry-after: 61 counts as none", ALL, {
    ...twice(waiting("retry-after", "61"), BACKOFF_MS),
  }),
  // One row of retries within 300 s stands in for the official client's ten within another row.
  submit("2.2 delay before retry n", ALL, {
    fault: "500 seven times",
    replies: times(7, { status: 500 }),
    pausesMs: sum(BACKOFF_MS, 7),
  }),
  submit("2.3 total at most 300 s", ALL, {
    fault: "503 for ever",
    replies: [{ status: 503 }],
    isEndless: true,
    requests: 34,
    pausesMs: sum(BACKOFF_MS, 33),
    code: "tinker-unavailable",
  }),
  ...(["submit", "poll"] as const).map((phase): FaultRow => {
    return {
      row: "2.4 billing pause",
      phase,
      calls: ALL,
      fault: `402 for ever (${phase})`,
      replies: [{ status: 402, json: detail }],
      isEndless: true,
      requests: 5,
      config: { billing_exception_max_pause_duration_sec: 20 },
      pausesMs: 20_000,
      code: "tinker-billing",
    };
  }),
];

const failed = { error: "boom", category: "server" };
const busy = { type: "try_again", queue_state: "active" };

const POLLS: readonly FaultRow[] = [
  // The official client leaves no pause.
  poll("3.1 2 try_again", ALL, twice({ json: busy }, QUICK_MS)),
  poll("3.1 4 error", ALL, {
    fault: "a failed operation",
    replies: [{ json: failed }],
    requests: 1,
    pausesMs: 0,
    code: "tinker-request-failed",
    data: { category: "server", detail: "boom" },
  }),
  poll("3.2 408", ALL, twice({ status: 408, json: busy }, QUICK_MS)),
  poll("3.2 408", ALL, {
    fault: "408 without a state",
    ...twice({ status: 408, json: {} }, QUICK_MS),
  }),
  poll("3.2 408", ["step"], {
    fault: "408 for half an hour",
    replies: times(362, { status: 408, json: busy }),
    pausesMs: sum(QUICK_MS, 362),
  }),
  ...[500, 502, 503, 504].map((status) =>
    poll("3.2 5xx", ALL, { fault: `${status}`, ...twice({ status }, QUICK_MS) }),
  ),
  poll("3.2 5xx", ["step"], {
    fault: "500 for a quarter of an hour",
    replies: [{ status: 500 }],
    isEndless: true,
    requests: 185,
    pausesMs: sum(QUICK_MS, 184),
    code: "tinker-unavailable",
  }),
  poll("3.2 429, connection error, ...", ALL, { fault: "429", ...twice({ status: 429 }, LOST_MS) }),
  poll("3.2 429, connection error, ...", ALL, { fault: "lost", ...twice("lost", LOST_MS) }),
  // The official client polls without end.
  ...([{ status: 429 }, "lost"] as const).map((reply) =>
    poll("3.2 429, connection error, ...", ["step"], {
      fault: `${typeof reply === "string" ? reply : reply.status} for a quarter of an hour`,
      replies: [reply],
      isEndless: true,
      requests: 35,
      pausesMs: sum(LOST_MS, 34),
      code: "tinker-unavailable",
    }),
  ),
  poll("3.2 429, connection error, ...", ["sample"], {
    fault: "k grows up to 30 s",
    replies: times(7, "lost"),
    pausesMs: sum(LOST_MS, 7),
  }),
  poll("3.2 429, connection error, ...", ["sample"], {
    fault: "k is reset by any other answer",
    replies: ["lost", { status: 429 }, { status: 500 }, "lost"],
    pausesMs: 1000 + 2000 + 250 + 1000,
  }),
  poll("3.2 400 with a length", ALL, {
    fault: "three times",
    replies: times(3, { status: 400, json: detail }),
    pausesMs: 0,
  }),
  poll("3.2 400 with a length", ALL, {
    fault: "four times",
    replies: times(4, { status: 400, json: detail }),
    pausesMs: 0,
    requests: 4,
    code: "tinker-request-failed",
    data: { category: "unknown", ...detail },
  }),
  poll("3.2 400 with no or zero length", ALL, {
    fault: "no length, five times",
    pausesMs: sum(LOST_MS, 5),
    replies: times(5, { status: 400, json: detail, hasLength: false }),
  }),
  poll("3.2 400 with no or zero length", ALL, {
    fault: "zero length",
    ...twice({ status: 400 }, LOST_MS),
  }),
  poll("3.2 402", ALL, twice({ status: 402, json: detail }, BILL_MS)),
  poll("3.2 402", ["sample"], {
    fault: "402 for the hour that the server grants by default",
    replies: [{ status: 402 }],
    isEndless: true,
    requests: 721,
    pausesMs: 3_600_000,
    code: "tinker-billing",
  }),
  poll("3.2 410", TRAINING, final(410, "tinker-expired")),
  ...[
    ["401", 401, "tinker-auth"] as const,
    ["403", 403, "tinker-auth"] as const,
    ["404", 404, "tinker-not-found"] as const,
    ["413", 413, "tinker-bad-request"] as const,
    ["422", 422, "tinker-bad-request"] as const,
  ].map(([fault, status, code]) => poll("3.2 other 4xx", ALL, { fault, ...final(status, code) })),
];

export const FAULT_ROWS: readonly FaultRow[] = [...STATUSES, ...RETRIES, ...POLLS];
