/** Tokens as boxes colored by a number, with details of the selected one. */

// biome-ignore-all lint/a11y/useFocusableInteractive: the list has the focus and points at its token

import * as l10n from "@vscode/l10n";
import { Fragment } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { TokenWindow } from "../../../src/shared/dashboardTypes.ts";
import { formatMeasure, formatSigned } from "../../../src/shared/format.ts";
import { isHighContrast, themeVersion } from "../../charts/drawing/palette.ts";
import type { DashboardProps } from "../../model/dashboardModel.ts";
import type { ShownTokenColor } from "../../model/viewState.ts";
import { strings } from "../../strings/strings.ts";
import { visibleToken } from "../../text/visible.ts";
import { hasNumbersFor, type TokenScale, tokenScale } from "./tokenScale.ts";
import { TokenStrip } from "./tokenStrip.tsx";

const text = strings.tokens;
/** Tokens that Up and Down move by. */
const LINE = 20;

interface BoxesProps extends DashboardProps {
  readonly window: TokenWindow;
  readonly color: ShownTokenColor;
  /** Index in the window of the token that a search led to. */
  readonly found: number | null;
}

export function TokenBoxes({ dashboard, window, color, found }: BoxesProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const [focused, setFocused] = useState(0);
  const { hasTokenNumbers } = dashboard.view.value;
  const hasNumbers = hasTokenNumbers || (themeVersion.value >= 0 && isHighContrast());
  const scale = useMemo(() => tokenScale(color, window), [color, window]);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const count = window.ids.length;
  const at = Math.min(focused, count - 1);
  const boxes = useMemo(
    () => Array.from({ length: count }, (_, index) => boxOf(window, scale, index, hasNumbers)),
    [window, scale, hasNumbers],
  );
  const scrollTo = (index: number, block: ScrollLogicalPosition): void =>
    list.current?.querySelector(`[data-index="${index}"]`)?.scrollIntoView({ block });
  useEffect(() => {
    if (found === null) return;
    setFocused(found);
    scrollTo(found, "center");
    list.current?.focus({ preventScroll: true });
  }, [found]);
  const onKey = (event: KeyboardEvent): void => {
    const next = tokenAfter(event.key, at, count);
    if (next === null) return;
    setFocused(next);
    setHovered(null);
    scrollTo(next, "nearest");
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      {hasNumbersFor(color, window) ? (
        <TokenStrip window={window} scale={scale} current={hovered ?? at} />
      ) : null}
      <TokenDetails window={window} index={hovered ?? at} isGiven={color === "loss"} />
      {/* biome-ignore lint/a11y/useKeyWithMouseEvents: the arrow keys do the same */}
      <div
        class="token-boxes"
        ref={list}
        role="listbox"
        aria-label={text.label}
        aria-activedescendant={tokenId(id, at)}
        tabIndex={0}
        data-numbers={hasNumbers}
        onKeyDown={onKey}
        onMouseOver={(event) => setHovered(tokenUnder(event))}
        onMouseLeave={() => setHovered(null)}
        onClick={(event) => setFocused(tokenUnder(event) ?? at)}
      >
        {boxes.map((box, index) => (
          <Box key={index} list={id} index={index} box={box} isFocused={index === at} />
        ))}
      </div>
    </>
  );
}

/** Unique even if two rollouts are shown side by side. */
function tokenId(list: string, index: number): string {
  return `${list}-${index}`;
}

interface BoxProps {
  /** Id of the containing list. */
  readonly list: string;
  readonly index: number;
  readonly box: TokenBox;
  readonly isFocused: boolean;
}

function Box({ list, index, box, isFocused }: BoxProps) {
  return (
    <Fragment>
      <span
        id={tokenId(list, index)}
        role="option"
        aria-selected={isFocused}
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
  );
}

/** The token that a key moves to; null for other keys. */
function tokenAfter(key: string, at: number, count: number): number | null {
  const moves: Readonly<Record<string, number>> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at + LINE,
    ArrowUp: at - LINE,
    Home: 0,
    End: count - 1,
  };
  const to = moves[key];
  return to === undefined ? null : Math.max(0, Math.min(count - 1, to));
}

function tokenUnder({ target }: Event): number | null {
  const box = target instanceof Element ? target.closest("[data-index]") : null;
  return box === null ? null : Number(box.getAttribute("data-index"));
}

interface TokenBox {
  readonly text: string;
  readonly level: number | undefined;
  readonly isMasked: boolean;
  readonly number: string | null;
  readonly isLineEnd: boolean;
  /** Turn label at the first token of a turn. */
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

interface DetailsProps {
  readonly window: TokenWindow;
  readonly index: number;
  /** True for tokens that were not sampled. */
  readonly isGiven: boolean;
}

function TokenDetails({ window, index, isGiven }: DetailsProps) {
  const { ids, turns } = window;
  const facts = [
    [l10n.t("Text"), textOf(window, index)],
    [l10n.t("Id"), String(ids[index] ?? "")],
    [l10n.t("Position"), String(window.from + index + 1)],
    [l10n.t("Source"), sourceOf(turns[index] ?? -1)],
    ...(isGiven ? givenFacts(window, index) : sampledFacts(window, index)),
  ] as const;
  return (
    <dl class="token-details">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="cut">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

type Fact = readonly [name: string, value: string];

function givenFacts({ trainerLogprobs, mask }: TokenWindow, index: number): readonly Fact[] {
  if (mask[index] !== 1) return [[text.loss, text.masked]];
  const trainer = trainerLogprobs[index] ?? Number.NaN;
  return [
    [text.loss, known(-trainer)],
    [l10n.t("Probability"), Number.isNaN(trainer) ? strings.none : percent(trainer)],
  ];
}

function sampledFacts(
  { samplerLogprobs, trainerLogprobs, advantages, mask }: TokenWindow,
  index: number,
): readonly Fact[] {
  const isTrained = mask[index] === 1;
  const sampler = isTrained ? samplerLogprobs[index] : undefined;
  return [
    [l10n.t("Sampler log-prob"), isTrained ? known(sampler) : text.given],
    [l10n.t("Probability"), sampler === undefined ? strings.none : percent(sampler)],
    [l10n.t("Trainer log-prob"), known(trainerLogprobs[index])],
    [l10n.t("Advantage"), isTrained ? formatSigned(advantages[index] ?? null, 4) : strings.none],
  ];
}

function percent(logprob: number): string {
  return `${(100 * Math.exp(logprob)).toFixed(2)}%`;
}

function textOf({ texts, ids }: TokenWindow, index: number): string {
  const own = texts?.[index];
  return own === undefined ? String(ids[index] ?? "") : visibleToken(own);
}

function sourceOf(turn: number): string {
  return turn < 0 ? l10n.t("prompt") : strings.replay.turn(turn + 1).toLowerCase();
}

function known(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? l10n.t("not known") : formatMeasure(value);
}
