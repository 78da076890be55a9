/** The output of `show --billed`. */

import * as l10n from "@vscode/l10n";
import type { BilledUsage } from "../../core/tinker/billing.ts";
import { countTokens, type TokenUsage } from "../../core/usage/tokenUsage.ts";
import { visibleLine } from "../../core/util/visibleText.ts";
import { formatCost, formatCount, plural } from "../../shared/format.ts";
import { type Line, labelled, quietLine } from "../terminal/line.ts";

export function billedLines({ tokens, costUsd, invoicedUntil }: BilledUsage): readonly Line[] {
  const counted = plural(countTokens(tokens), "{0} token", "{0} tokens");
  return [
    labelled(l10n.t("billed"), costUsd === null ? counted : `${formatCost(costUsd)}, ${counted}`),
    kindsLine(tokens),
    quietLine(sourceText(costUsd, invoicedUntil)),
  ];
}

function sourceText(costUsd: number | null, invoicedUntil: string | null): string {
  if (costUsd === null)
    return l10n.t("The service does not state all costs. Its list lags by hours.");
  return invoicedUntil === null
    ? l10n.t("Before credits, without storage, at the published prices. The list lags by hours.")
    : l10n.t(
        "Before credits, without storage; from invoices until {0}, then at the published prices. The list lags by hours.",
        visibleLine(invoicedUntil),
      );
}

/** Token counts by kind. */
export function kindsLine(tokens: TokenUsage): Line {
  const { sampled, prefill_cached: cached, prefill_uncached: uncached, trained } = tokens;
  const kinds = [sampled, cached, uncached, trained].map(formatCount);
  const text = l10n.t("sampled {0}, prompts {1} cached and {2} not, trained {3}", ...kinds);
  return labelled(l10n.t("breakdown"), text);
}
