/** The tokens of a rollout as sampled and trained on, colored by a number. */

import * as l10n from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { TOKENS_PER_WINDOW } from "../../../src/shared/dashboardMessages.ts";
import type { ReplayTurn, TokenPlace, TokenWindow } from "../../../src/shared/dashboardTypes.ts";
import { formatCount } from "../../../src/shared/format.ts";
import { plainKey, type RolloutKey, rolloutKeyName } from "../../../src/shared/rolloutSet.ts";
import { Button, IconButton } from "../../controls/button.tsx";
import { Choice } from "../../controls/choice.tsx";
import type { DashboardModel, DashboardProps } from "../../model/dashboardModel.ts";
import { useAsking } from "../../model/useAsking.ts";
import { type ShownTokenColor, TOKEN_COLORS } from "../../model/viewState.ts";
import { strings } from "../../strings/strings.ts";
import { trainingUseText } from "../rollouts/rolloutRows.ts";
import { streamLabel } from "./streamLabel.ts";
import { TokenBoxes } from "./tokenBoxes.tsx";
import {
  hasNumbersFor,
  type TokenRanges,
  type TokenScale,
  tokenScale,
  widestRanges,
} from "./tokenScale.ts";

const text = strings.tokens;

interface TokenViewProps extends DashboardProps {
  readonly rolloutKey: RolloutKey;
  /** False until the rollout's row has arrived. */
  readonly isListed: boolean;
  readonly streams: readonly number[];
  /** The turns of the rollout; empty until they arrive. */
  readonly turns: readonly Pick<ReplayTurn, "stream">[];
  readonly trainingUse: string | null;
  /** True if the tokens were given, not sampled. */
  readonly isExample: boolean;
  /** Ranges of the rollout beside it, and a callback for its own; absent for a single rollout. */
  readonly beside?: {
    readonly ranges: TokenRanges | undefined;
    readonly show: (own: TokenRanges) => void;
  };
}

export function TokenView({
  dashboard,
  rolloutKey,
  isListed,
  streams,
  turns,
  trainingUse,
  isExample,
  beside,
}: TokenViewProps) {
  const [chosen, setStream] = useState<number | null>(null);
  const stream = chosen ?? streams[0] ?? null;
  const [from, setFrom] = useState(0);
  const [read, setRead] = useState<TokenWindow | null>(null);
  const [error, setError] = useState<string | null>(null);
  useAsking(dashboard, () => {
    if (stream === null) return;
    const key = plainKey(rolloutKey);
    return dashboard.host.ask({ ask: "tokens", key, stream, from }, (answer) => {
      if (answer.kind === "tokens") {
        setRead(answer.window);
        beside?.show(answer.window.ranges);
      }
      setError(answer.kind === "error" ? answer.message : null);
    });
  }, [rolloutKeyName(rolloutKey), stream, from]);
  const others = beside?.ranges;
  const window = useMemo(
    () => read && { ...read, ranges: widestRanges([read.ranges, ...(others ? [others] : [])]) },
    [read, others],
  );
  const place = useFoundToken(dashboard, rolloutKey, isListed);
  useEffect(() => {
    if (place === null) return;
    setStream(place.stream);
    setFrom(place.index - (place.index % TOKENS_PER_WINDOW));
  }, [place]);
  if (stream === null) {
    const why = isExample
      ? l10n.t(
          "This example has not been tokenized. Open it from the data of a configuration whose tokenizer is on this computer.",
        )
      : withoutTokens(rolloutKey.source, trainingUse);
    return <p class="message">{why}</p>;
  }
  if (error !== null) return <p class="message">{error}</p>;
  if (window === null) return null;
  const color = isExample ? "loss" : dashboard.view.value.tokenColor;
  return (
    <div class="tokens stack">
      <TokenControls dashboard={dashboard} window={window} color={color}>
        {streams.length < 2 ? null : (
          <Choice
            label={l10n.t("Stream")}
            value={stream}
            values={streams}
            name={(one) => streamLabel(one, turns)}
            choose={(next) => {
              setStream(next);
              setFrom(0);
            }}
          />
        )}
      </TokenControls>
      <TokenPages window={window} go={setFrom} />
      <TokenBoxes
        dashboard={dashboard}
        window={window}
        color={color}
        found={indexIn(window, place)}
      />
    </div>
  );
}

function withoutTokens(source: RolloutKey["source"], trainingUse: string | null): string {
  if (source !== "training") {
    return l10n.t("This rollout is stored without tokens: it failed early.");
  }
  const use = trainingUseText(trainingUse);
  return l10n.t("Only rollouts that were trained on have token data. This one: {0}.", use);
}

/** Null if the window does not contain the token. */
function indexIn({ stream, from, ids }: TokenWindow, place: TokenPlace | null): number | null {
  const index = (place?.index ?? -1) - from;
  return place?.stream === stream && index >= 0 && index < ids.length ? index : null;
}

interface ControlsProps extends DashboardProps {
  readonly window: TokenWindow;
  readonly color: ShownTokenColor;
  /** Rendered after the first control. */
  readonly children: ComponentChildren;
}

function TokenControls({ dashboard, window, color, children }: ControlsProps) {
  const { hasTokenNumbers } = dashboard.view.value;
  const isKnown = hasNumbersFor(color, window);
  return (
    <div class="token-controls wrap">
      {color === "loss" ? (
        <span class="fact">
          {isKnown ? l10n.t("Colored by loss") : l10n.t("Underlined: trained on")}
        </span>
      ) : (
        <Choice
          label={l10n.t("Color by")}
          value={color}
          values={TOKEN_COLORS}
          name={(own) => text.colors[own]}
          choose={(own) => dashboard.update({ tokenColor: own })}
        />
      )}
      {children}
      {isKnown ? (
        <Button
          class="toggle"
          label={l10n.t("Numbers")}
          aria-pressed={hasTokenNumbers}
          onClick={() => dashboard.update({ hasTokenNumbers: !hasTokenNumbers })}
        />
      ) : null}
      <Legend
        scale={isKnown ? tokenScale(color, window) : null}
        unlit={color === "loss" ? text.masked : text.given}
      />
    </div>
  );
}

interface LegendProps {
  /** Null if the tokens have no numbers. */
  readonly scale: TokenScale | null;
  /** What uncolored tokens are. */
  readonly unlit: string;
}

function Legend({ scale, unlit }: LegendProps) {
  if (scale === null) {
    return (
      <div class="token-legend wrap">
        <Unlit name={unlit} />
      </div>
    );
  }
  const levels = scale.isDiverging ? [-4, -3, -2, -1, 0, 1, 2, 3, 4] : [0, 1, 2, 3, 4];
  return (
    <div
      class="token-legend wrap"
      role="img"
      aria-label={`${l10n.t("Legend")}: ${scale.ticks.join(", ")}`}
    >
      <span>{scale.ticks[0]}</span>
      <span class="token-scale">
        {levels.map((level) => (
          <i key={level} data-level={level} />
        ))}
      </span>
      <span>{scale.ticks.at(-1)}</span>
      <Unlit name={unlit} />
    </div>
  );
}

function Unlit({ name }: { readonly name: string }) {
  return (
    <>
      <i class="masked-sample" data-masked={true} />
      <span>{name}</span>
    </>
  );
}

function TokenPages({
  window,
  go,
}: {
  readonly window: TokenWindow;
  readonly go: (from: number) => void;
}) {
  const { from, total, ids, texts } = window;
  return (
    <div class="token-pages wrap">
      <IconButton
        icon="chevronLeft"
        label={l10n.t("Previous tokens")}
        disabled={from === 0}
        onClick={() => go(Math.max(0, from - TOKENS_PER_WINDOW))}
      />
      <span class="fact">
        {l10n.t(
          "Tokens {0} to {1} of {2}",
          formatCount(from + 1),
          formatCount(from + ids.length),
          formatCount(total),
        )}
      </span>
      <IconButton
        icon="chevronRight"
        label={l10n.t("Next tokens")}
        disabled={from + ids.length >= total}
        onClick={() => go(from + TOKENS_PER_WINDOW)}
      />
      {texts === null ? (
        <span class="note">{l10n.t("Ids only: the run's tokenizer could not be loaded.")}</span>
      ) : null}
    </div>
  );
}

/** The token of the search hit, once the host has found it. Falls back to the text view if no token matches. */
function useFoundToken(
  dashboard: DashboardModel,
  rolloutKey: RolloutKey,
  isListed: boolean,
): TokenPlace | null {
  const [place, setPlace] = useState<TokenPlace | null>(null);
  const found = dashboard.found.value;
  const key = plainKey(rolloutKey);
  const isOwn =
    isListed &&
    found?.rollout === rolloutKeyName(key) &&
    found.run === dashboard.data.run.value?.id;
  useAsking(dashboard, () => {
    if (!isOwn || found === null) return;
    const { snippet, isAmongTokens } = found;
    return dashboard.host.ask({ ask: "found-token", key, snippet }, (answer) => {
      const token = answer.kind === "found-token" ? answer.place : null;
      dashboard.lookFor(null);
      setPlace(token);
      if (token === null && isAmongTokens) dashboard.update({ replayMode: "markdown" });
    });
  }, [found, isOwn]);
  return place;
}
