/**
 * The faults that requests to each service may meet. Faults that mean more than a disturbed connection are left out: a
 * status 500 in a session is a crash of the environment itself, after which a rollout draws other samples.
 */

import type { FaultKind, FaultRule } from "./faultPlan.ts";

const LOST: readonly FaultKind[] = [
  "502",
  "503",
  "504",
  "reset before the request",
  "reset after the request",
  "hang",
];
const BUSY: readonly FaultKind[] = ["429", "429 with Retry-After"];
const PLAIN: readonly FaultKind[] = [...LOST, "body cut off"];
/** Nothing waits for a heartbeat or a ping, so most failed ones never get an answer. */
const UNATTENDED: readonly FaultKind[] = LOST.flatMap((kind) => [
  kind,
  "hang until the client ends it",
  "hang until the client ends it",
]);
const STREAMED: readonly FaultKind[] = [...LOST, "stream cut off", "stream ended early"];

export const FAULT_RULES = {
  tinker: [
    // There are only about 20 of them, and each kind of fault must occur.
    { request: /session_heartbeat$/, share: 0.7, kinds: UNATTENDED },
    { request: /retrieve_future$/, share: 0.05, kinds: [...PLAIN, "500", "429"] },
    // A 429 pauses all samples, so there are few of them.
    { request: /asample$/, share: 0.06, kinds: [...PLAIN, ...PLAIN, ...PLAIN, "500", ...BUSY] },
    {
      request: /(forward_backward|optim_step|save_weights\w*)$/,
      share: 0.35,
      kinds: [...PLAIN, ...BUSY, "500", "reset after the request"],
    },
    { request: /./, share: 0.1, kinds: [...PLAIN, ...BUSY, "500"] },
  ],
  environments: [
    // A 429 halves the number of rollouts in progress, so there are few of them.
    {
      request: /^POST \/create_session$/,
      share: 0.06,
      kinds: [...STREAMED, ...STREAMED, ...STREAMED, "500", ...BUSY],
    },
    { request: /\/ping$/, share: 0.1, kinds: UNATTENDED },
    { request: /\/call$/, share: 0.06, kinds: [...STREAMED, ...BUSY] },
    { request: /./, share: 0.05, kinds: [...PLAIN, ...BUSY] },
  ],
  uploads: [{ request: /./, share: 0.1, kinds: [...PLAIN, ...BUSY, "500"] }],
  wandb: [{ request: /./, share: 0.15, kinds: [...PLAIN, ...BUSY, "500"] }],
} as const satisfies Readonly<Record<string, readonly FaultRule[]>>;

export type ServiceName = keyof typeof FAULT_RULES;
export const SERVICE_NAMES: readonly ServiceName[] = ["tinker", "environments", "uploads", "wandb"];
