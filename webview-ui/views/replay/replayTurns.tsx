/** The texts of a rollout, turn by turn, with rewards at the side. */

import * as l10n from "@vscode/l10n";
import { type ComponentChildren, Fragment } from "preact";
import { useId } from "preact/hooks";
import type {
  BoundedText,
  ReplayResult,
  ReplayTurn,
  RolloutBody,
  RolloutRow,
} from "../../../src/shared/dashboardTypes.ts";
import { formatReward, plural } from "../../../src/shared/format.ts";
import { isExample } from "../../../src/shared/outcome.ts";
import { plainKey } from "../../../src/shared/rolloutSet.ts";
import { Button } from "../../controls/button.tsx";
import type { DashboardProps } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";
import { FoldedText, Omitted, wholeText } from "../../text/foldedText.tsx";
import { MarkdownText } from "../../text/markdownText.tsx";
import { visibleLine } from "../../text/visible.ts";
import type { Divergence } from "./divergence.ts";
import { ReplayImages, ReplayImagesContext } from "./replayImages.tsx";
import { RewardFooter } from "./rewardFooter.tsx";
import {
  Block,
  CallBlock,
  FaultyCallBlock,
  ReasoningBlock,
  ResultBlock,
  rewardOf,
  SilentBlock,
} from "./turnBlocks.tsx";

const text = strings.replay;

interface TurnsProps extends DashboardProps {
  readonly body: RolloutBody;
  readonly row: RolloutRow | undefined;
  readonly group: readonly RolloutRow[];
  readonly isMarkdown: boolean;
  /** Where it diverges from the rollout beside it. */
  readonly divergence?: Divergence | null;
  readonly titleId?: string;
  /** Number of turns in the longer of two rollouts side by side; absent for a single rollout. */
  readonly longestTurns?: number;
}

/** Grid rows that `ReplayTurns` fills: the task, two per turn, and the end. */
export function rowsOfTurns(turns: number): number {
  return 2 * turns + 2;
}

export function ReplayTurns({
  dashboard,
  body,
  row,
  group,
  isMarkdown,
  titleId = "",
  divergence = null,
  longestTurns = body.turns.length,
}: TurnsProps) {
  let total = 0;
  const totals = body.turns.map(({ results }) => {
    total += rewardOf(results) ?? 0;
    return total;
  });
  return (
    <ReplayImagesContext.Provider value={{ dashboard, images: body.images }}>
      <div class="turns stack">
        <Aligned row={1}>
          {body.system === null ? null : (
            <details class="block" data-tone="context">
              <summary>{l10n.t("System")}</summary>
              <FoldedText content={body.system} />
            </details>
          )}
          {body.tools.length === 0 ? null : <Tools tools={body.tools} />}
          <Prompt content={body.prompt} />
        </Aligned>
        {body.turns.map((turn, index) => (
          <Fragment key={index}>
            <Aligned row={2 * index + 2}>
              {turn.stream === (body.turns[index - 1]?.stream ?? 0) ? null : (
                <p class="stream-break row">{streamBreakText(body, index)}</p>
              )}
              {turn.asked === null ? null : <Prompt content={turn.asked} />}
              {divergence?.turn === index ? (
                <p class="divergence">
                  {l10n.t("They diverge here: {0}", text.partBy[divergence.by])}
                </p>
              ) : null}
            </Aligned>
            <Aligned row={2 * index + 3}>
              <Turn
                dashboard={dashboard}
                turn={turn}
                row={row}
                index={index}
                total={totals[index] ?? 0}
                titleId={titleId}
                isMarkdown={isMarkdown}
              />
            </Aligned>
          </Fragment>
        ))}
        <Aligned row={rowsOfTurns(longestTurns)}>
          {body.omittedTurns > 0 ? (
            <p class="note">
              {plural(
                body.omittedTurns,
                "{0} more turn. Open as JSON to see all.",
                "{0} more turns. Open as JSON to see all.",
              )}
            </p>
          ) : null}
          {body.agent === undefined ? null : <AgentEnd agent={body.agent} />}
          <Footer body={body} row={row} group={group} titleId={titleId} />
        </Aligned>
      </div>
    </ReplayImagesContext.Provider>
  );
}

function Prompt({ content }: { readonly content: BoundedText }) {
  return (
    <Block label={l10n.t("Prompt")} tone="context">
      <FoldedText content={content} />
      <ReplayImages of={content.text} />
    </Block>
  );
}

/** Says why a turn is in another token stream than the previous one. */
function streamBreakText({ turns, agent }: RolloutBody, index: number): string {
  const stream = turns[index]?.stream ?? 0;
  if (turns.slice(0, index).some((turn) => turn.stream === stream)) {
    return l10n.t("Stream {0} continues", stream + 1);
  }
  return agent === undefined
    ? l10n.t("Stream {0}: the conversation was rendered again", stream + 1)
    : l10n.t("Stream {0}: another conversation of the agent", stream + 1);
}

/** How the agent program ended, and its output. */
function AgentEnd({ agent }: { readonly agent: NonNullable<RolloutBody["agent"]> }) {
  const { exit, output, refusals } = agent;
  const isFailed = exit !== null && exit !== "0";
  const ending =
    exit === null
      ? l10n.t("The rollout ended the agent")
      : l10n.t("The agent ended with {0}", visibleLine(exit));
  return (
    <Block label={ending} tone={isFailed ? "error" : "context"}>
      {refusals.map(({ message, count }) => (
        <p key={message}>{l10n.t("Refused {0}×: {1}", count, visibleLine(message))}</p>
      ))}
      {output.text.trim() === "" ? null : <FoldedText content={output} class="mono" />}
    </Block>
  );
}

/** Training examples have no reward. */
function Footer(props: Parameters<typeof RewardFooter>[0]) {
  const { row, body } = props;
  if (row === undefined || !isExample(row)) return <RewardFooter {...props} />;
  if (body.error === null) return null;
  return (
    <Block label={l10n.t("A run would refuse it")} tone="error">
      <FoldedText content={wholeText(body.error)} />
    </Block>
  );
}

/** Placed in a shared grid row, from 1, next to the same part of the other rollout. */
function Aligned({
  row,
  children,
}: {
  readonly row: number;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="aligned" style={{ gridRow: row }}>
      {children}
    </div>
  );
}

function Tools({ tools }: Pick<RolloutBody, "tools">) {
  return (
    <details class="block" data-tone="context">
      <summary>{plural(tools.length, "{0} tool", "{0} tools")}</summary>
      <dl class="tools">
        {tools.map(({ name, description }, index) => (
          <div key={index}>
            <dt>{visibleLine(name)}</dt>
            <dd>
              <FoldedText content={description} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

interface TurnProps extends DashboardProps {
  readonly turn: ReplayTurn;
  readonly row: RolloutRow | undefined;
  readonly index: number;
  readonly total: number;
  readonly isMarkdown: boolean;
  readonly titleId: string;
}

function Turn({ dashboard, turn, row, index, total, isMarkdown, titleId }: TurnProps) {
  const { calls, errors, results, nudge, tokens, stopReason } = turn;
  const reward = rewardOf(results);
  const isGiven = row !== undefined && isExample(row);
  // The error message was sent back to the model, so it is shown as that.
  const isReasonSent = errors.length === 1 && errors[0]?.message === nudge?.text;
  const id = useId();
  return (
    <section
      class="turn stack"
      data-turn={index}
      tabIndex={-1}
      aria-labelledby={`${titleId} ${id}`}
    >
      <div class="turn-head wrap">
        <h3 id={id}>{text.turn(index + 1)}</h3>
        <span class="fact">
          {isGiven
            ? givenTokens(tokens)
            : plural(
                tokens,
                "{0} token, ended by {1}",
                "{0} tokens, ended by {1}",
                visibleLine(stopReason),
              )}
        </span>
        {dashboard.host.can("continueFromHere") && dashboard.data.run.value?.examples !== "read" ? (
          <ContinueButton dashboard={dashboard} row={row} turn={index} />
        ) : null}
        {reward === null ? null : (
          <span class="turn-reward" data-reward={true} tabIndex={-1}>
            <span class="reward-chip">{text.reward(formatReward(reward))}</span>
            <span class="fact">{l10n.t("total {0}", formatReward(total))}</span>
          </span>
        )}
      </div>
      <Written dashboard={dashboard} turn={turn} isMarkdown={isMarkdown} />
      {isMarkdown
        ? calls.map((call, at) => (
            <CallWithResult key={at} call={call} result={results[at]} isGiven={isGiven} />
          ))
        : results.map((result, at) => <Result key={at} result={result} />)}
      {isMarkdown ? <ModelText dashboard={dashboard} content={turn.afterCalls} /> : null}
      {isMarkdown
        ? errors.map((error, at) => (
            <FaultyCallBlock
              key={at}
              reason={isReasonSent ? null : error.message}
              raw={error.raw}
            />
          ))
        : null}
      {nudge === null ? null : (
        <Block label={l10n.t("Sent to the model")} tone="context">
          <FoldedText content={nudge} />
        </Block>
      )}
    </section>
  );
}

/** Empty if the text is in no model's tokens. */
function givenTokens(tokens: number): string {
  return tokens === 0 ? "" : plural(tokens, "{0} token", "{0} tokens");
}

/** Reasoning and text as parsed, or the raw output. */
function Written({
  dashboard,
  turn,
  isMarkdown,
}: Pick<TurnProps, "dashboard" | "turn" | "isMarkdown">) {
  const { reasoning, content, sampled, calls, errors } = turn;
  if (!isMarkdown) {
    return (
      <Block label={text.raw} tone="model">
        <FoldedText content={sampled} class="mono" />
      </Block>
    );
  }
  const isSilent = content.text === "" && reasoning === null && calls.length + errors.length === 0;
  return (
    <>
      {reasoning === null ? null : (
        <ReasoningBlock reasoning={reasoning} isOpen={dashboard.view.value.isReasoningOpen} />
      )}
      <ModelText dashboard={dashboard} content={content} />
      {isSilent ? <SilentBlock sampled={sampled} /> : null}
    </>
  );
}

/** Text of the model; renders nothing if it is empty. */
function ModelText({
  dashboard,
  content,
}: DashboardProps & {
  readonly content: BoundedText;
}) {
  if (content.text.trim() === "") return null;
  return (
    <Block label={text.model} tone="model">
      <MarkdownText host={dashboard.host} text={content.text} />
      <Omitted content={content} />
    </Block>
  );
}

interface CallProps {
  readonly call: ReplayTurn["calls"][number];
  readonly result: ReplayResult | undefined;
  /** True for a training example, which may end with a call. */
  readonly isGiven: boolean;
}

function CallWithResult({ call, result, isGiven }: CallProps) {
  return (
    <>
      <CallBlock call={call} />
      {result === undefined ? null : <Result result={result} />}
      {result === undefined && !isGiven ? (
        <p class="note indented">{l10n.t("No result: the rollout ended before this call ran.")}</p>
      ) : null}
    </>
  );
}

function Result({ result }: { readonly result: ReplayResult }) {
  return (
    <ResultBlock result={result}>
      <ReplayImages of={result.text.text} />
    </ResultBlock>
  );
}

interface ContinueProps extends DashboardProps {
  /** Undefined for a rollout of an evaluation shown beside another. */
  readonly row: RolloutRow | undefined;
  /** From 0. */
  readonly turn: number;
}

/** Always enabled: a disabled button cannot be focused, so pressing it explains why it cannot continue. */
function ContinueButton({ dashboard, row, turn }: ContinueProps) {
  const obstacle = obstacleOf(row);
  const press = (): void => {
    if (row === undefined || obstacle !== null) {
      dashboard.announce(obstacle ?? "");
      return;
    }
    dashboard.host.command("continueFromHere", { key: plainKey(row), turn });
  };
  return (
    <Button
      class="link continue"
      label={l10n.t("Continue from here")}
      aria-disabled={obstacle !== null}
      title={
        obstacle ?? l10n.t("Lets a model continue after the tokens that were read in this turn")
      }
      onClick={press}
    />
  );
}

function obstacleOf(row: RolloutRow | undefined): string | null {
  if (row === undefined) return l10n.t("Open only this rollout to continue from it.");
  if (row.streams.length > 0) return null;
  return row.source === "evaluation"
    ? l10n.t("This rollout is stored without tokens to continue from: it failed early.")
    : l10n.t("Only rollouts that were trained on are stored with tokens to continue from.");
}
