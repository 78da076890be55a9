/** Two rollouts of one task side by side: of one group, or of two steps or evaluations, the earlier one on the left. */

import * as l10n from "@vscode/l10n";
import { useEffect, useId, useState } from "preact/hooks";
import type { RolloutBody, RolloutRow } from "../../../src/shared/dashboardTypes.ts";
import { formatReward } from "../../../src/shared/format.ts";
import {
  plainKey,
  type RolloutKey,
  rolloutKeyName,
  setName,
} from "../../../src/shared/rolloutSet.ts";
import { Button } from "../../controls/button.tsx";
import { rolloutTitle, setTitle } from "../../controls/setTitle.ts";
import type { DashboardModel, DashboardProps } from "../../model/dashboardModel.ts";
import { useAsking } from "../../model/useAsking.ts";
import type { Beside } from "../../model/viewState.ts";
import { strings } from "../../strings/strings.ts";
import { extremeOf } from "../rollouts/rolloutGroups.ts";
import { type Divergence, divergenceOf } from "./divergence.ts";
import { ReplayTurns, rowsOfTurns } from "./replayTurns.tsx";
import type { TokenRanges } from "./tokenScale.ts";
import { TokenView } from "./tokenView.tsx";

const text = strings.replay;
/** Delay before the search, which reads the indexes of all steps: rollouts that are merely passed by do not trigger it. */
const OCCURRENCES_MS = 300;

/** The rollout to show beside `key`: another of its group, or the same task elsewhere; null for none. */
function targetOf(
  beside: Beside | null,
  key: RolloutKey,
  group: readonly RolloutRow[],
): RolloutKey | { readonly set: Exclude<Beside, string> } | null {
  if (beside === null) return null;
  if (typeof beside === "object") return setName(beside) === setName(key) ? null : { set: beside };
  const found = extremeOf(group, otherExtreme(beside, key, group));
  return found?.rollout === key.rollout ? null : found;
}

type Extreme = Extract<Beside, string>;

/** Beside the best rollout itself the worst is shown, and vice versa. */
function otherExtreme(wanted: Extreme, key: RolloutKey, group: readonly RolloutRow[]): Extreme {
  if (extremeOf(group, wanted)?.rollout !== key.rollout) return wanted;
  return wanted === "best" ? "worst" : "best";
}

interface PickerProps extends DashboardProps {
  readonly rolloutKey: RolloutKey;
  readonly group: readonly RolloutRow[];
}

/** Renders nothing if there is nothing to choose from. */
export function BesidePicker({ dashboard, rolloutKey, group }: PickerProps) {
  const { beside } = dashboard.view.value;
  const { sets, isComplete } = useOccurrences(dashboard, rolloutKey);
  const others = sets.filter((set) => setName(set) !== setName(rolloutKey));
  const hasGroup = group.length > 1;
  if (others.length === 0 && !hasGroup) return null;
  const choose = (value: string): void => {
    const set = others.find((own) => setName(own) === value);
    const named = value === "best" || value === "worst" ? value : null;
    dashboard.update({ beside: set ?? named });
  };
  const value =
    typeof beside === "string"
      ? otherExtreme(beside, rolloutKey, group)
      : beside && setName(beside);
  return (
    <label class="field">
      <span>{l10n.t("Beside")}</span>
      <select value={value ?? ""} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">{l10n.t("nothing")}</option>
        {hasGroup ? (
          <>
            <option value="best">{l10n.t("best of the group")}</option>
            <option value="worst">{l10n.t("worst of the group")}</option>
          </>
        ) : null}
        {others.map((set) => (
          <option key={setName(set)} value={setName(set)}>
            {setTitle(set)}
          </option>
        ))}
        {isComplete ? null : (
          <option disabled>{l10n.t("The run is too long: not every step was searched.")}</option>
        )}
      </select>
    </label>
  );
}

interface Occurrences {
  readonly sets: readonly Exclude<Beside, string>[];
  /** False if the run is too long to search. */
  readonly isComplete: boolean;
}

/** Steps or evaluations with the same task. */
function useOccurrences(dashboard: DashboardModel, rolloutKey: RolloutKey): Occurrences {
  const [found, setFound] = useState<Occurrences>({ sets: [], isComplete: true });
  useAsking(dashboard, () => {
    const key = plainKey(rolloutKey);
    return dashboard.host.askLater({ ask: "occurrences", key }, OCCURRENCES_MS, (answer) => {
      if (answer.kind === "occurrences") setFound(answer);
    });
  }, [rolloutKeyName(rolloutKey)]);
  return found;
}

interface BesideProps extends PickerProps {
  readonly body: RolloutBody;
  readonly row: RolloutRow | undefined;
}

interface Other {
  readonly key: RolloutKey;
  readonly body: RolloutBody;
}

export function BesideReplay({ dashboard, rolloutKey, group, body, row }: BesideProps) {
  const { other, error } = useOther(dashboard, rolloutKey, group);
  const [ranges, setRanges] = useState<Readonly<Record<string, TokenRanges>>>({});
  const id = useId();
  const divergence = other === null ? null : divergenceOf(body, other.body);
  const shown = other === null ? null : rolloutKeyName(other.key);
  // Up to the first difference both are the same, so the view jumps there.
  useEffect(() => {
    if (shown !== null && divergence !== null && divergence.turn > 0) goToDivergence();
  }, [shown]);
  const own = { key: rolloutKey, body, row, group };
  const sides = [
    own,
    ...(other === null
      ? []
      : [{ ...other, row: group.find((each) => isSameKey(each, other.key)), group: [] }]),
  ].toSorted((a, b) => a.key.step - b.key.step || (b.body.reward ?? 0) - (a.body.reward ?? 0));
  const compared = other?.key;
  const { replayMode } = dashboard.view.value;
  const longestTurns = Math.max(...sides.map((side) => side.body.turns.length));
  // The title of each side takes a row too.
  const rows = { "--rows": 1 + rowsOfTurns(longestTurns) };
  return (
    <>
      {compared === undefined ? null : (
        <DivergenceBar
          divergence={divergence}
          go={replayMode === "tokens" ? null : goToDivergence}
          diff={
            dashboard.host.can("diffRollouts")
              ? () =>
                  dashboard.host.command("diffRollouts", {
                    key: plainKey(rolloutKey),
                    other: plainKey(compared),
                  })
              : null
          }
        />
      )}
      {error === null ? null : <p class="message">{error}</p>}
      <div class="beside" data-sides={sides.length}>
        {sides.map((side) => {
          const name = rolloutKeyName(side.key);
          return (
            <section key={name} style={rows} aria-label={rolloutTitle(side.key)}>
              <h3 id={`${id}-${name}`} class="row">
                {rolloutTitle(side.key)}
                <span class="reward-chip" data-failed={side.body.reward === null}>
                  {side.body.reward === null
                    ? text.failed
                    : text.reward(formatReward(side.body.reward))}
                </span>
              </h3>
              {replayMode === "tokens" ? (
                <TokenView
                  dashboard={dashboard}
                  rolloutKey={side.key}
                  isListed={side === own && row !== undefined}
                  streams={side.row?.streams ?? streamsOf(side.body)}
                  turns={side.body.turns}
                  trainingUse={side.row?.trainingUse ?? null}
                  isExample={false}
                  beside={{
                    ranges: sides
                      .filter((each) => each !== side)
                      .map(({ key }) => ranges[rolloutKeyName(key)])[0],
                    show: (shown) => setRanges((before) => ({ ...before, [name]: shown })),
                  }}
                />
              ) : (
                <ReplayTurns
                  dashboard={dashboard}
                  body={side.body}
                  row={side.row}
                  group={side.group}
                  isMarkdown={replayMode === "markdown"}
                  titleId={`${id}-${name}`}
                  divergence={divergence}
                  longestTurns={longestTurns}
                />
              )}
            </section>
          );
        })}
      </div>
    </>
  );
}

/** Streams of a rollout that is not listed. If it has no tokens, requesting a stream says so. */
function streamsOf({ turns }: RolloutBody): readonly number[] {
  return [...new Set(turns.map(({ stream }) => stream))];
}

function useOther(
  dashboard: DashboardModel,
  rolloutKey: RolloutKey,
  group: readonly RolloutRow[],
): { readonly other: Other | null; readonly error: string | null } {
  const [other, setOther] = useState<Other | null>(null);
  const [error, setError] = useState<string | null>(null);
  const target = targetOf(dashboard.view.value.beside, rolloutKey, group);
  const name = JSON.stringify(target === null || "set" in target ? target : plainKey(target));
  useAsking(dashboard, () => {
    setOther(null);
    setError(null);
    if (target === null) return;
    const question =
      "set" in target
        ? ({ ask: "counterpart", key: plainKey(rolloutKey), set: target.set } as const)
        : ({ ask: "rollout", key: plainKey(target) } as const);
    return dashboard.host.ask(question, (answer) => {
      if (answer.kind === "rollout") setOther({ key: answer.key, body: answer.body });
      else if (answer.kind === "error") setError(answer.message);
    });
  }, [rolloutKeyName(rolloutKey), name]);
  return { other, error };
}

interface BarProps {
  readonly divergence: Divergence | null;
  /** Null if the difference is not shown. */
  readonly go: (() => void) | null;
  /** Null in a browser. */
  readonly diff: (() => void) | null;
}

function DivergenceBar({ divergence, go, diff }: BarProps) {
  return (
    <div class="divergence-bar wrap">
      <span class="fact">
        {divergence === null
          ? l10n.t("Both are identical.")
          : l10n.t(
              "They diverge in turn {0}: {1}",
              divergence.turn + 1,
              text.partBy[divergence.by],
            )}
      </span>
      {divergence === null || go === null ? null : (
        <Button class="link" label={l10n.t("Go there")} onClick={go} />
      )}
      {diff === null ? null : (
        <Button
          class="quiet"
          icon="diff"
          label={l10n.t("Open in the diff editor")}
          onClick={diff}
        />
      )}
    </div>
  );
}

function goToDivergence(): void {
  document.querySelector(".beside .divergence")?.scrollIntoView({ block: "start" });
}

function isSameKey(one: RolloutKey, other: RolloutKey): boolean {
  return rolloutKeyName(one) === rolloutKeyName(other);
}
