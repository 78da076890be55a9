/** Explains a rollout's reward and advantage. */

import * as l10n from "@vscode/l10n";
import { useContext, useId } from "preact/hooks";
import type { RolloutBody, RolloutRow } from "../../../src/shared/dashboardTypes.ts";
import { formatExact, formatReward, formatSigned, plural } from "../../../src/shared/format.ts";
import { TableHead } from "../../controls/tableHead.tsx";
import { strings } from "../../strings/strings.ts";
import { FoldedText, wholeText } from "../../text/foldedText.tsx";
import { groupStats } from "../rollouts/rolloutGroups.ts";
import { trainingUseText } from "../rollouts/rolloutRows.ts";
import { DetailContext } from "../rollouts/tableContext.ts";
import { Block } from "./turnBlocks.tsx";

const text = strings.replay;

interface FooterProps {
  readonly body: RolloutBody;
  readonly row: RolloutRow | undefined;
  readonly group: readonly RolloutRow[];
  readonly titleId: string;
}

export function RewardFooter({ titleId, ...props }: FooterProps) {
  const { reward, error } = props.body;
  const id = useId();
  return (
    <section class="reward-footer stack" aria-labelledby={`${titleId} ${id}`}>
      <h3 id={id}>{l10n.t("Why this reward")}</h3>
      {reward === null ? <p>{l10n.t("No reward: the rollout failed.")}</p> : <Facts {...props} />}
      {error === null ? null : (
        <Block label={reward === null ? text.failed : l10n.t("Error")} tone="error">
          <FoldedText content={wholeText(error)} class="mono" />
        </Block>
      )}
    </section>
  );
}

/** How the reward was computed: received rewards, group score, score for an unfinished end, their reduction, and the clamp. */
function Facts({ body, row, group }: Omit<FooterProps, "titleId">) {
  const { rewards, rewardBreakdown: breakdown } = body;
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
  return (
    <>
      <p class="formula">{formula}</p>
      <RewardTurns turns={body.turns} advantages={row?.turnAdvantages} />
      <dl>
        <Fact name={l10n.t("Received")} value={received === "" ? l10n.t("nothing") : received} />
        {breakdown.group === null ? null : (
          <Fact
            name={l10n.t("Score in the group")}
            value={`${formatExact(breakdown.group)}, ${l10n.t("by the environment, which compared the rollouts")}`}
          />
        )}
        {breakdown.nonterminal === null ? null : (
          <Fact
            name={l10n.t("Unfinished")}
            value={`${formatExact(breakdown.nonterminal)}, ${l10n.t("nonterminal_reward, because the rollout did not finish")}`}
          />
        )}
        <Fact
          name={text.clamped}
          value={`${formatExact(breakdown.clamped)}, ${isClamped ? l10n.t("by min_reward and max_reward") : l10n.t("unchanged by min_reward and max_reward")}`}
        />
        {row === undefined ? null : <GroupFact row={row} group={group} />}
        {row === undefined || row.penalty === 0 ? null : (
          <Fact
            name={l10n.t("Penalty")}
            value={l10n.t(
              "{0} subtracted from the reward for its length (overlong: penalty)",
              formatExact(row.penalty),
            )}
          />
        )}
        {row === undefined ? null : <AdvantageFacts row={row} />}
        {row?.source === "training" ? (
          <Fact name={l10n.t("Used")} value={trainingUseText(row.trainingUse)} />
        ) : null}
      </dl>
    </>
  );
}

interface RewardTurnsProps extends Pick<RolloutBody, "turns"> {
  readonly advantages: readonly number[] | undefined;
}

/** Rewards by turn; renders nothing if at most one turn earned any. Lists all turns if each has its own advantage. */
function RewardTurns({ turns, advantages }: RewardTurnsProps) {
  let total = 0;
  const earned = turns.flatMap(({ results }, turn) => {
    const rewards = results.flatMap(({ reward }) => (reward === null ? [] : [reward]));
    if (rewards.length === 0 && advantages === undefined) return [];
    total += rewards.reduce((sum, reward) => sum + reward, 0);
    return [{ turn, rewards, total }];
  });
  if (earned.length < 2) return null;
  return (
    <table>
      <TableHead
        heads={[
          [l10n.t("Turn")],
          [l10n.t("Reward"), "number"],
          [l10n.t("Total"), "number"],
          ...(advantages === undefined ? [] : [[text.advantage, "number"] as const]),
        ]}
      />
      <tbody>
        {earned.map(({ turn, rewards, total: sum }) => (
          <tr key={turn}>
            <td>{text.turn(turn + 1)}</td>
            <td class="number">{rewards.map(formatExact).join(", ")}</td>
            <td class="number">{formatExact(sum)}</td>
            {advantages === undefined ? null : (
              <td class="number">{formatSigned(advantages[turn] ?? 0, 4)}</td>
            )}
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
  const facts = l10n.t(
    "mean {0} ± {1}, from {2} to {3}",
    mean,
    spread,
    formatReward(stats.low),
    formatReward(stats.high),
  );
  const distance =
    row.reward === null
      ? ""
      : `; ${l10n.t("this one {0} from the mean", formatSigned(row.reward - stats.mean))}`;
  return (
    <Fact
      name={plural(stats.scored, "Group of {0}", "Group of {0}")}
      value={`${facts}${distance}`}
    />
  );
}

function AdvantageFacts({ row }: { readonly row: RolloutRow }) {
  const { advantage, turnAdvantages } = row;
  if (advantage === null) return null;
  const value = formatSigned(advantage, 4);
  return (
    <>
      <Fact
        name={text.advantage}
        value={turnAdvantages === undefined ? value : l10n.t("{0}, the mean of its turns", value)}
      />
      <TokenFact row={row} advantage={advantage} />
    </>
  );
}

/** Smaller differences between advantages are rounding errors. */
const ROUNDING = 1e-4;

/** How token-level penalties and corrections changed the advantage; renders nothing if they did not. */
function TokenFact({ row, advantage }: { readonly row: RolloutRow; readonly advantage: number }) {
  const detail = useContext(DetailContext)?.(row) ?? null;
  const mean = detail?.tokenAdvantage ?? null;
  // Turns of different lengths have different weights in the token mean.
  if (row.turnAdvantages !== undefined) return null;
  if (mean === null || Math.abs(mean - advantage) < ROUNDING) return null;
  const change = formatSigned(mean - advantage, 4);
  return (
    <Fact
      name={l10n.t("Per token")}
      value={l10n.t(
        "{0} on average: {1} by kl_coef or off_policy_correction. See Tokens for each.",
        formatSigned(mean, 4),
        change,
      )}
    />
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
