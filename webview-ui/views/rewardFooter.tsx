/** How the reward of a rollout was computed. */

import { useId } from "preact/hooks";
import type { RolloutBody, RolloutRow } from "../../src/shared/dashboardTypes.ts";
import { formatExact, formatSigned } from "../../src/shared/format.ts";
import { strings } from "../strings/strings.ts";
import { FoldedText } from "../text/foldedText.tsx";
import { Block } from "./replayBlock.tsx";
import { trainingUseText } from "./rolloutRows.ts";

const text = strings.replay;

interface FooterProps {
  readonly body: RolloutBody;
  readonly row: RolloutRow | undefined;
  /** Of the element that names the rollout where several are shown. */
  readonly titleId: string;
}

/** Received rewards, the one for an unfinished end, their reduction, and the clamp. */
export function RewardFooter({ body, row, titleId }: FooterProps) {
  const { rewards, rewardBreakdown: breakdown, reward, error } = body;
  const received = rewards.map(formatExact).join(", ");
  const all = [
    ...rewards,
    ...[breakdown.group, breakdown.nonterminal].filter((score) => score !== null),
  ];
  const isClamped = breakdown.clamped !== breakdown.reduced;
  const formula = [
    `${breakdown.reduction}(${all.map(formatExact).join(", ")}) = ${formatExact(breakdown.reduced)}`,
    ...(isClamped ? [`${text.clamped.toLowerCase()} ${formatExact(breakdown.clamped)}`] : []),
  ].join("  →  ");
  const id = useId();
  return (
    <section class="reward-footer" aria-labelledby={`${titleId} ${id}`}>
      <h3 id={id}>{text.end}</h3>
      <p class="formula">{formula}</p>
      <dl>
        <Fact name={text.received} value={received === "" ? text.nothing : received} />
        {breakdown.group === null ? null : (
          <Fact name={text.group} value={`${formatExact(breakdown.group)}, ${text.groupWhy}`} />
        )}
        {breakdown.nonterminal === null ? null : (
          <Fact
            name={text.nonterminal}
            value={`${formatExact(breakdown.nonterminal)}, ${text.nonterminalWhy}`}
          />
        )}
        <Fact
          name={text.clamped}
          value={`${formatExact(breakdown.clamped)}, ${isClamped ? text.changed : text.unchanged}`}
        />
        {row?.advantage == null ? null : (
          <Fact name={text.advantage} value={formatSigned(row.advantage, 4)} />
        )}
        {row?.source === "training" ? (
          <Fact name={text.used} value={trainingUseText(row.trainingUse)} />
        ) : null}
      </dl>
      {error === null ? null : (
        <Block label={reward === null ? text.failed : text.error} tone="error">
          <FoldedText content={{ text: error, omitted: 0 }} class="mono" />
        </Block>
      )}
    </section>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
