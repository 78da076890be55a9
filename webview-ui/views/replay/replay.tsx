/** One rollout: the prompt, the model's output, tool results, and the computation of the reward. */

// biome-ignore-all lint/a11y/noNoninteractiveTabindex: without it the keyboard could not scroll the texts

import * as l10n from "@vscode/l10n";
import { useRef, useState } from "preact/hooks";
import type { RolloutBody, RolloutRow } from "../../../src/shared/dashboardTypes.ts";
import {
  formatCount,
  formatReward,
  formatSigned,
  formatTemperature,
  plural,
} from "../../../src/shared/format.ts";
import { NO_MARK } from "../../../src/shared/marks.ts";
import { isExample } from "../../../src/shared/outcome.ts";
import { type RolloutKey, rolloutKeyName } from "../../../src/shared/rolloutSet.ts";
import { Button, IconButton } from "../../controls/button.tsx";
import { rolloutTitle, setTitle } from "../../controls/setTitle.ts";
import { useKeys } from "../../controls/useKeys.ts";
import { useScroll } from "../../controls/useScroll.ts";
import type { DashboardModel, DashboardProps } from "../../model/dashboardModel.ts";
import type { ReadRollout } from "../../model/rolloutBodies.ts";
import { useAsking } from "../../model/useAsking.ts";
import type { ReplayMode } from "../../model/viewState.ts";
import { strings } from "../../strings/strings.ts";
import { stopText } from "../../text/stopText.ts";
import { visibleLine } from "../../text/visible.ts";
import { MarkButtons, MarkEditor } from "../rollouts/markEditor.tsx";
import { trainingUseText } from "../rollouts/rolloutRows.ts";
import { BesidePicker, BesideReplay } from "./besideReplay.tsx";
import type { ReadingOrder } from "./readingOrder.ts";
import { replayKey } from "./replayKeys.ts";
import { ReplayTurns } from "./replayTurns.tsx";
import { Siblings } from "./siblings.tsx";
import { TokenView } from "./tokenView.tsx";

const text = strings.replay;
const MODES = ["markdown", "raw", "tokens"] as const;

interface ReplayProps extends DashboardProps {
  readonly rolloutKey: RolloutKey;
  /** All rollouts of the step. */
  readonly siblings: readonly RolloutRow[];
  readonly order: ReadingOrder;
}

/** Remounted for every rollout. */
export function Replay({ dashboard, rolloutKey, siblings, order }: ReplayProps) {
  const { group, rollout } = rolloutKey;
  const region = useScroll(dashboard, "replay");
  const row = siblings.find((other) => other.group === group && other.rollout === rollout);
  const own = siblings.filter((other) => other.group === group);
  const { body, error } = useBody(dashboard, rolloutKey, row !== undefined);
  const mark = dashboard.data.marks.value.get(rolloutKeyName(rolloutKey))?.mark ?? NO_MARK;
  const prefix = useRef("");
  useKeys((event) => {
    const target = { dashboard, region: region.current, own, rolloutKey, mark };
    prefix.current = replayKey(event, prefix.current, target);
  });
  const { replayMode, isListKept } = dashboard.view.value;
  return (
    <article class="replay stack" aria-label={text.label} data-rollout={rolloutKeyName(rolloutKey)}>
      <header class="replay-head stack">
        <div class="replay-top">
          <ReplayTitle dashboard={dashboard} rolloutKey={rolloutKey} row={row} body={body} />
          <div class="replay-tools row">
            <IconButton
              icon="table"
              label={l10n.t("Keep the list open")}
              class="keep-list"
              aria-pressed={isListKept}
              onClick={() => dashboard.update({ isListKept: !isListKept })}
            />
            <MarkButtons dashboard={dashboard} rolloutKey={rolloutKey} mark={mark} />
            <Pager order={order} />
          </div>
        </div>
        <Siblings dashboard={dashboard} siblings={own} rollout={rollout} />
        <ModePicker dashboard={dashboard} rolloutKey={rolloutKey} body={body} group={own} />
        <MarkEditor dashboard={dashboard} rolloutKey={rolloutKey} mark={mark} />
      </header>
      <section
        class="replay-body pane"
        ref={region}
        tabIndex={0}
        aria-label={replayMode === "tokens" ? strings.tokens.label : text.label}
      >
        {error === null ? null : <p class="message">{error}</p>}
        <ReplayContent
          dashboard={dashboard}
          rolloutKey={rolloutKey}
          row={row}
          body={body}
          group={own}
        />
      </section>
    </article>
  );
}

const NOTHING_READ: ReadRollout = { body: null, error: null };

/** Requests the rollout once it is listed; cached ones are returned at once. */
function useBody(dashboard: DashboardModel, rolloutKey: RolloutKey, isListed: boolean) {
  const [read, setRead] = useState(
    () => (isListed ? dashboard.bodies.get(rolloutKey) : null) ?? NOTHING_READ,
  );
  useAsking(dashboard, () => {
    if (isListed) return dashboard.bodies.request(rolloutKey, setRead);
    // A new run may lack the rollout that is open.
    setRead(NOTHING_READ);
    return;
  }, [rolloutKeyName(rolloutKey), isListed]);
  return read;
}

/** Renders in the chosen mode; empty until the rollout has arrived. */
function ReplayContent({ dashboard, rolloutKey, row, body, group }: ContentProps) {
  const { replayMode, beside } = dashboard.view.value;
  if (body !== null && beside !== null) {
    return (
      <BesideReplay
        dashboard={dashboard}
        rolloutKey={rolloutKey}
        group={group}
        body={body}
        row={row}
      />
    );
  }
  if (replayMode === "tokens") {
    return (
      <TokenView
        dashboard={dashboard}
        rolloutKey={rolloutKey}
        isListed={row !== undefined}
        streams={row?.streams ?? []}
        turns={body?.turns ?? []}
        trainingUse={row?.trainingUse ?? null}
        isExample={row !== undefined && isExample(row)}
      />
    );
  }
  if (body === null) return null;
  return (
    <ReplayTurns
      dashboard={dashboard}
      body={body}
      row={row}
      group={group}
      isMarkdown={replayMode === "markdown"}
    />
  );
}

interface ContentProps extends TitleProps {
  readonly group: readonly RolloutRow[];
}

interface TitleProps extends Omit<ReplayProps, "siblings" | "order"> {
  readonly row: RolloutRow | undefined;
  readonly body: RolloutBody | null;
}

function ReplayTitle({ dashboard, rolloutKey, row, body }: TitleProps) {
  const facts = row === undefined ? [] : factsOf(row, body);
  return (
    <div class="replay-title">
      <IconButton
        icon="chevronLeft"
        label={text.back}
        hint={`${text.back} Esc`}
        class="back"
        onClick={() => dashboard.update({ rollout: null })}
      />
      <div>
        <h2 class="wrap">
          {row !== undefined && isExample(row)
            ? exampleTitle(dashboard, rolloutKey)
            : rolloutTitle(rolloutKey)}
          {row === undefined || isExample(row) ? null : (
            <span class="reward-chip" data-failed={row.reward === null}>
              {row.reward === null ? text.failed : text.reward(formatReward(row.reward))}
            </span>
          )}
        </h2>
        <p class="fact">
          {facts.map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
        </p>
        {row === undefined || row.error === null || isExample(row) ? null : (
          <p class="replay-error error" title={visibleLine(row.error)}>
            {visibleLine(row.error)}
          </p>
        )}
      </div>
    </div>
  );
}

/** A file opened for reading has no steps. */
function exampleTitle({ data }: DashboardModel, key: RolloutKey): string {
  const number = key.group + 1;
  return data.run.value?.examples === "read"
    ? l10n.t("Example {0}", formatCount(number))
    : l10n.t("{0}, example {1}", setTitle(key), formatCount(number));
}

function factsOf(row: RolloutRow, body: RolloutBody | null): readonly string[] {
  const { environment, split, index, temperature, advantage, trainingUse, stop, turns, tokens } =
    row;
  const streams = Math.max(0, ...(body?.turns ?? []).map(({ stream }) => stream)) + 1;
  return [
    visibleLine(`${environment} ${split} ${index}`),
    ...(advantage === null ? [] : [`${text.advantage.toLowerCase()} ${formatSigned(advantage)}`]),
    temperature === null ? trainingUseText(trainingUse) : formatTemperature(temperature),
    ...(isExample(row) ? [] : [stopText(stop)]),
    plural(turns, "{0} turn", "{0} turns"),
    ...(tokens === 0 && isExample(row) ? [] : [plural(tokens, "{0} token", "{0} tokens")]),
    ...(streams > 1 ? [plural(streams, "{0} token stream", "{0} token streams")] : []),
    ...(body !== null && body.attempt > 0 ? [l10n.t("start {0}", body.attempt + 1)] : []),
  ];
}

function ModePicker({ dashboard, rolloutKey, body, group }: Omit<ContentProps, "row">) {
  const { replayMode, isReasoningOpen } = dashboard.view.value;
  const hasReasoning = body?.turns.some(({ reasoning }) => reasoning !== null) ?? false;
  return (
    <div class="replay-modes wrap">
      <fieldset class="segments">
        <legend class="visually-hidden">{l10n.t("Show as")}</legend>
        {MODES.map((mode: ReplayMode) => (
          <Button
            class="toggle"
            label={text.modes[mode]}
            key={mode}
            aria-pressed={mode === replayMode}
            onClick={() => dashboard.update({ replayMode: mode })}
          />
        ))}
      </fieldset>
      {group.some(isExample) ? null : (
        <BesidePicker dashboard={dashboard} rolloutKey={rolloutKey} group={group} />
      )}
      {hasReasoning ? (
        <Button
          class="quiet"
          label={isReasoningOpen ? l10n.t("Close all reasoning") : l10n.t("Open all reasoning")}
          onClick={() => dashboard.update({ isReasoningOpen: !isReasoningOpen })}
        />
      ) : null}
      {body === null || !dashboard.host.can("openRolloutJson") ? null : (
        <Button
          class="quiet"
          icon="json"
          label={l10n.t("Open as JSON")}
          onClick={() => dashboard.host.command("openRolloutJson", { key: rolloutKey })}
        />
      )}
    </div>
  );
}

/** The rollout's position in the list, with previous and next buttons. */
function Pager({ order }: { readonly order: ReadingOrder }) {
  const { at, count, go } = order;
  return (
    <nav class="pager row" aria-label={l10n.t("Rollouts of the list")}>
      <IconButton
        icon="chevronUp"
        label={text.previousRollout}
        hint={`${text.previousRollout} k`}
        disabled={at === 0 || count === 0}
        onClick={() => go(-1)}
      />
      <span class="fact">
        {l10n.t("{0} of {1}", at < 0 ? "–" : formatCount(at + 1), formatCount(count))}
      </span>
      <IconButton
        icon="chevronDown"
        label={text.nextRollout}
        hint={`${text.nextRollout} j`}
        disabled={at === count - 1 || count === 0}
        onClick={() => go(1)}
      />
    </nav>
  );
}
