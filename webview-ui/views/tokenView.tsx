/** The tokens of a rollout as they were trained on, coloured by a number. */

// biome-ignore-all lint/a11y/useFocusableInteractive: the list has the focus and points at its token

import { Fragment } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { TOKENS_PER_WINDOW } from "../../src/shared/dashboardMessages.ts";
import type { RolloutKey, TokenWindow } from "../../src/shared/dashboardTypes.ts";
import { formatMeasure, formatSigned } from "../../src/shared/format.ts";
import { Icon } from "../controls/icon.tsx";
import { isHighContrast, themeVersion } from "../controls/palette.ts";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { TOKEN_COLOURS, type TokenColour } from "../model/viewState.ts";
import { strings } from "../strings/strings.ts";
import { visibleToken } from "../text/visible.ts";
import { trainingUseText } from "./rolloutRows.ts";
import { type TokenScale, tokenScale } from "./tokenScale.ts";
import { TokenStrip } from "./tokenStrip.tsx";

const text = strings.tokens;

interface TokenViewProps {
  readonly dashboard: DashboardModel;
  readonly rolloutKey: RolloutKey;
  readonly streams: number;
  readonly trainingUse: string | null;
}

export function TokenView({ dashboard, rolloutKey, streams, trainingUse }: TokenViewProps) {
  const { source, step, group, rollout } = rolloutKey;
  const [stream, setStream] = useState(0);
  const [from, setFrom] = useState(0);
  const [window, setWindow] = useState<TokenWindow | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    if (streams === 0) return;
    const key = { source, step, group, rollout };
    return dashboard.host.ask({ ask: "tokens", key, stream, from }, (answer) => {
      if (answer.kind === "tokens") setWindow(answer.window);
      else if (answer.kind === "error") setFault(answer.message);
    });
  }, [dashboard, source, step, group, rollout, stream, from, streams]);
  if (streams === 0) {
    const why =
      source === "training" ? text.notTrained(trainingUseText(trainingUse)) : text.evaluated;
    return <p class="message">{why}</p>;
  }
  if (fault !== null) return <p class="message">{fault}</p>;
  if (window === null) return null;
  return (
    <div class="tokens">
      <TokenControls
        dashboard={dashboard}
        window={window}
        stream={stream}
        setStream={(next) => {
          setStream(next);
          setFrom(0);
        }}
      />
      <TokenParts window={window} go={setFrom} />
      <TokenBoxes dashboard={dashboard} window={window} />
    </div>
  );
}

interface ControlsProps {
  readonly dashboard: DashboardModel;
  readonly window: TokenWindow;
  readonly stream: number;
  readonly setStream: (stream: number) => void;
}

function TokenControls({ dashboard, window, stream, setStream }: ControlsProps) {
  const { tokenColour, hasTokenNumbers } = dashboard.view.value;
  return (
    <div class="token-controls">
      <label class="field">
        <span>{text.colour}</span>
        <select
          value={tokenColour}
          onChange={({ currentTarget: { value } }) =>
            dashboard.update({ tokenColour: value as TokenColour })
          }
        >
          {TOKEN_COLOURS.map((colour) => (
            <option key={colour} value={colour}>
              {text.colours[colour]}
            </option>
          ))}
        </select>
      </label>
      {window.streams > 1 ? (
        <label class="field">
          <span>{text.stream}</span>
          <select
            value={stream}
            onChange={({ currentTarget: { value } }) => setStream(Number(value))}
          >
            {Array.from({ length: window.streams }, (_, index) => (
              <option key={index} value={index}>
                {index + 1}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <button
        type="button"
        class="toggle"
        aria-pressed={hasTokenNumbers}
        onClick={() => dashboard.update({ hasTokenNumbers: !hasTokenNumbers })}
      >
        {text.numbers}
      </button>
      <Legend scale={tokenScale(tokenColour, window)} />
    </div>
  );
}

function Legend({ scale }: { readonly scale: TokenScale }) {
  const levels = scale.isDiverging ? [-4, -3, -2, -1, 0, 1, 2, 3, 4] : [0, 1, 2, 3, 4];
  return (
    <div class="token-legend" role="img" aria-label={`${text.legend}: ${scale.ticks.join(", ")}`}>
      <span>{scale.ticks[0]}</span>
      <span class="token-scale">
        {levels.map((level) => (
          <i key={level} data-level={level} />
        ))}
      </span>
      <span>{scale.ticks.at(-1)}</span>
      <i class="masked-sample" data-masked={true} />
      <span>{text.masked}</span>
    </div>
  );
}

function TokenParts({
  window,
  go,
}: {
  readonly window: TokenWindow;
  readonly go: (from: number) => void;
}) {
  const { from, total, ids, texts } = window;
  return (
    <div class="token-parts">
      <button
        type="button"
        class="quiet only-icon"
        aria-label={text.previous}
        disabled={from === 0}
        onClick={() => go(Math.max(0, from - TOKENS_PER_WINDOW))}
      >
        <Icon name="chevronLeft" />
      </button>
      <span class="fact">{text.part(from + 1, from + ids.length, total)}</span>
      <button
        type="button"
        class="quiet only-icon"
        aria-label={text.next}
        disabled={from + ids.length >= total}
        onClick={() => go(from + TOKENS_PER_WINDOW)}
      >
        <Icon name="chevronRight" />
      </button>
      {texts === null ? <span class="note">{text.idsOnly}</span> : null}
    </div>
  );
}

function TokenBoxes({
  dashboard,
  window,
}: {
  readonly dashboard: DashboardModel;
  readonly window: TokenWindow;
}) {
  const [hovered, setHovered] = useState<number | null>(null);
  const [focused, setFocused] = useState(0);
  const { tokenColour, hasTokenNumbers } = dashboard.view.value;
  const hasNumbers = hasTokenNumbers || (themeVersion.value >= 0 && isHighContrast());
  const scale = useMemo(() => tokenScale(tokenColour, window), [tokenColour, window]);
  const count = window.ids.length;
  const at = Math.min(focused, count - 1);
  const boxes = useMemo(
    () => Array.from({ length: count }, (_, index) => boxOf(window, scale, index, hasNumbers)),
    [window, scale, hasNumbers],
  );
  const onKey = (event: KeyboardEvent): void => {
    const moves: Readonly<Record<string, number>> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      ArrowDown: at + 20,
      ArrowUp: at - 20,
      Home: 0,
      End: count - 1,
    };
    const to = moves[event.key];
    if (to === undefined) return;
    const next = Math.max(0, Math.min(count - 1, to));
    setFocused(next);
    setHovered(null);
    document.querySelector(`#token-${next}`)?.scrollIntoView({ block: "nearest" });
    event.preventDefault();
    event.stopPropagation();
  };
  const indexOf = (event: Event): number | null => {
    const box = event.target instanceof Element ? event.target.closest("[data-index]") : null;
    return box === null ? null : Number(box.getAttribute("data-index"));
  };
  return (
    <>
      <TokenStrip window={window} scale={scale} current={hovered ?? at} />
      <TokenDetails window={window} index={hovered ?? at} />
      {/* biome-ignore lint/a11y/useKeyWithMouseEvents: the arrow keys do the same */}
      <div
        class="token-boxes"
        role="listbox"
        aria-label={text.label}
        aria-activedescendant={`token-${at}`}
        tabIndex={0}
        data-numbers={hasNumbers}
        onKeyDown={onKey}
        onMouseOver={(event) => setHovered(indexOf(event))}
        onMouseLeave={() => setHovered(null)}
        onClick={(event) => setFocused(indexOf(event) ?? at)}
      >
        {boxes.map((box, index) => (
          <Fragment key={index}>
            <span
              id={`token-${index}`}
              role="option"
              aria-selected={index === at}
              class="token"
              data-index={index}
              data-level={box.level}
              data-masked={box.isMasked}
            >
              {box.turn === null ? null : <span class="token-turn">{box.turn}</span>}
              {box.text}
              {box.number === null ? null : <small>{box.number}</small>}
            </span>
            {box.isLineEnd ? <br /> : null}
          </Fragment>
        ))}
      </div>
    </>
  );
}

interface TokenBox {
  readonly text: string;
  readonly level: number | undefined;
  readonly isMasked: boolean;
  readonly number: string | null;
  readonly isLineEnd: boolean;
  /** At the first token of a turn. */
  readonly turn: string | null;
}

function boxOf(
  window: TokenWindow,
  scale: TokenScale,
  index: number,
  hasNumbers: boolean,
): TokenBox {
  const isMasked = window.mask[index] !== 1;
  const turn = window.turns[index] ?? -1;
  const isFirst = index === 0 || turn !== window.turns[index - 1];
  const value = scale.value(index);
  return {
    text: textOf(window, index),
    isLineEnd: window.texts?.[index]?.endsWith("\n") ?? false,
    level: isMasked ? undefined : (scale.level(index) ?? undefined),
    isMasked,
    number: hasNumbers && !isMasked && !Number.isNaN(value) ? scale.format(value) : null,
    turn: isFirst ? sourceOf(turn) : null,
  };
}

function TokenDetails({ window, index }: { readonly window: TokenWindow; readonly index: number }) {
  const { ids, samplerLogprobs, trainerLogprobs, advantages, turns, mask } = window;
  const isTrained = mask[index] === 1;
  const sampler = isTrained ? samplerLogprobs[index] : undefined;
  const facts = [
    [text.text, textOf(window, index)],
    [text.id, String(ids[index] ?? "")],
    [text.position, String(window.from + index + 1)],
    [text.source, sourceOf(turns[index] ?? -1)],
    [text.sampler, isTrained ? known(sampler) : text.masked],
    [
      text.probability,
      sampler === undefined ? strings.none : `${(100 * Math.exp(sampler)).toFixed(2)} %`,
    ],
    [text.trainer, known(trainerLogprobs[index])],
    [text.advantage, isTrained ? formatSigned(advantages[index] ?? null, 4) : strings.none],
  ] as const;
  return (
    <dl class="token-details">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function textOf({ texts, ids }: TokenWindow, index: number): string {
  const own = texts?.[index];
  return own === undefined ? String(ids[index] ?? "") : visibleToken(own);
}

function sourceOf(turn: number): string {
  return turn < 0 ? text.prompt : strings.replay.turn(turn + 1).toLowerCase();
}

function known(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? text.unknown : formatMeasure(value);
}
