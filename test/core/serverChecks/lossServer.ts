/** A simulated server for policy losses: which loss it computes, with which parameters, and how it sums them. */

import { LOSS_DEFAULTS } from "../../../src/core/config/rules/lossDefaults.ts";
import {
  type LossNormalization,
  normalized,
} from "../../../src/core/serverChecks/normalizations.ts";
import { type DocumentedLoss, policyLoss } from "../../../src/core/serverChecks/policyLosses.ts";
import type {
  ForwardBackwardResult,
  LossConfig,
} from "../../../src/core/tinker/wire/forwardBackwardProto.ts";

export interface LossServer {
  /** Computed instead of the requested loss. */
  readonly always?: DocumentedLoss;
  /** Replaces the sent parameters. */
  readonly parameters?: Readonly<Record<string, number>>;
  readonly normalization?: LossNormalization;
  /** Name of the metric; null = none. */
  readonly metric?: string | null;
  readonly reportsElements?: boolean;
  /** Log-prob of a target. */
  readonly logprob?: (target: number) => number;
}

interface Asked {
  readonly lossFn: string;
  readonly lossConfig: LossConfig;
  readonly data: readonly {
    readonly targets: ArrayLike<number>;
    readonly logprobs: ArrayLike<number>;
    readonly advantages: ArrayLike<number>;
  }[];
}

export function answerOf(server: LossServer, asked: Asked): ForwardBackwardResult {
  const { normalization = "token_sum", metric = "loss:sum", logprob = someLogprob } = server;
  const sent = asked.lossConfig as Readonly<Record<string, number>>;
  // Tests request losses only by name.
  const name = server.always ?? (asked.lossFn as DocumentedLoss);
  const own = server.always === undefined ? sent : LOSS_DEFAULTS[server.always];
  const loss = policyLoss(name, server.parameters ?? own);
  const outputs = asked.data.map(({ targets, logprobs, advantages }) => {
    const own = Float32Array.from(targets, logprob);
    const tokens = Array.from(own, (p, i) => ({
      p,
      q: logprobs[i] ?? 0,
      advantage: advantages[i] ?? 0,
    }));
    const losses = Float32Array.from(loss(tokens));
    return { logprobs: own, losses };
  });
  const isTrained = asked.data.map(({ advantages }) => Array.from(advantages, (a) => a !== 0));
  const rows = outputs.map(({ losses }) => [...losses]);
  const value = normalized(rows, isTrained)[normalization];
  return {
    outputs:
      server.reportsElements === true ? outputs : outputs.map(({ logprobs }) => ({ logprobs })),
    metrics: metric === null ? {} : { [metric]: value },
  };
}

/** Between -0.1 and -6, as a model's are. */
function someLogprob(target: number): number {
  return -0.1 - ((target * 37) % 60) / 10;
}
