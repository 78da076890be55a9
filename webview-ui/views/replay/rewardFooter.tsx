/** Why a rollout has its reward and its advantage. */

import { useContext, useId } from "preact/hooks";
import type { RolloutBody, RolloutRow } from "../../../src/shared/dashboardTypes.ts";
import { formatExact, formatReward, formatSigned } from "../../../src/shared/format.ts";
import { strings } from "../../strings/strings.ts";
import { FoldedText } from "../../text/foldedText.tsx";
import { groupStats } from "../rollouts/rolloutGroups.ts";
import { trainingUseText } from "../rollouts/rolloutRows.ts";
import { DetailContext } from "../rollouts/tableContext.ts";
import { Block } from "./turnBlocks.tsx";

const text = strings.replay;

interface FooterProps {
  readonly body: RolloutBody;
  readonly row: RolloutRow | undefined;
  /** Rollouts of its group. */
  readonly group: readonly RolloutRow[];
  /** Of the element that names the rollout where several are shown. */
  readonly titleId: string;
}

/** Received rewards, the one for an unfinished end, their reduction, and the clamp. */
export function RewardFooter({ body, row, group, titleId }: FooterProps) {
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
      <RewardTurns turns={body.turns} />
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
        {row === undefined ? null : <GroupFact row={row} group={group} />}
        {row === undefined || row.penalty === 0 ? null : (
          <Fact name={text.penalty} value={text.penaltyWhy(formatExact(row.penalty))} />
        )}
        {row?.advantage == null ? null : (
          <Fact name={text.advantage} value={formatSigned(row.advantage, 4)} />
        )}
        {row?.advantage == null ? null : <TokenFact row={row} advantage={row.advantage} />}
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

/** Which turn earned what; nothing where at most one did. */
function RewardTurns({ turns }: Pick<RolloutBody, "turns">) {
  let total = 0;
  const earned = turns.flatMap(({ results }, turn) => {
    const rewards = results.flatMap(({ reward }) => (reward === null ? [] : [reward]));
    if (rewards.length === 0) return [];
    total += rewards.reduce((sum, reward) => sum + reward, 0);
    return [{ turn, rewards, total }];
  });
  if (earned.length < 2) return null;
  return (
    <table class="reward-turns">
      <thead>
        <tr>
          <th scope="col">{text.turnHead}</th>
          <th scope="col" class="number">
            {text.rewardHead}
          </th>
          <th scope="col" class="number">
            {text.totalHead}
          </th>
        </tr>
      </thead>
      <tbody>
        {earned.map(({ turn, rewards, total: sum }) => (
          <tr key={turn}>
            <td>{text.turn(turn + 1)}</td>
            <td class="number">{rewards.map(formatExact).join(", ")}</td>
            <td class="number">{formatExact(sum)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function GroupFact({ row, group }: Pick<FooterProps, "group"> & { readonly row: RolloutRow }) {
  const stats = groupStats(group).get(row.group);
  if (stats === undefined || stats.mean === null || stats.size < 2) return null;
  const mean = formatReward(stats.mean);
  const spread = formatReward(stats.spread);
  const facts = text.groupStats(mean, spread, formatReward(stats.low), formatReward(stats.high));
  const distance =
    row.reward === null ? "" : `; ${text.fromMean(formatSigned(row.reward - stats.mean))}`;
  return <Fact name={text.groupName(stats.scored)} value={`${facts}${distance}`} />;
}

/** Advantages that differ by less were only rounded. */
const ROUNDING = 1e-4;

/** What penalties and corrections for single tokens made of the advantage; nothing where they changed nothing. */
function TokenFact({ row, advantage }: { readonly row: RolloutRow; readonly advantage: number }) {
  const detail = useContext(DetailContext)?.(row) ?? null;
  const mean = detail?.tokenAdvantage ?? null;
  if (mean === null || Math.abs(mean - advantage) < ROUNDING) return null;
  const change = formatSigned(mean - advantage, 4);
  return <Fact name={text.tokenAdvantage} value={text.tokenWhy(formatSigned(mean, 4), change)} />;
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
