/** Phrases that the model uses more or less often, with examples. */

import * as l10n from "@vscode/l10n";
import { useState } from "preact/hooks";
import { BETWEEN_WORDS, type ChangedPhrase, type PhraseExample } from "../../src/shared/changes.ts";
import { formatCount, formatReward, formatShare } from "../../src/shared/format.ts";
import { Button } from "../controls/button.tsx";
import type { Changes } from "../model/changesModel.ts";
import type { DashboardProps } from "../model/dashboardModel.ts";
import { openFound } from "../search/openFound.ts";
import { SnippetText } from "../search/snippetText.tsx";
import { changesStrings as text } from "../strings/changes.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";

interface PhrasesProps extends DashboardProps {
  readonly changes: Changes | null;
}

export function Phrases({ dashboard, changes }: PhrasesProps) {
  if (changes === null) return null;
  const { more, less, before, after, isComplete, progress, error } = changes;
  const isEmpty = more.length + less.length === 0;
  return (
    <section aria-labelledby="changed-phrases">
      <h2 id="changed-phrases">{l10n.t("What it says")}</h2>
      <p class="fact" role="status">
        {isComplete
          ? l10n.t(
              "Rollouts with a phrase, of {0} before and {1} after, most certain changes first. One rollout of each group is tested (Fisher’s exact test); about 1 in 20 of the listed phrases may be chance.",
              formatCount(before),
              formatCount(after),
            )
          : text.reading(Math.floor(progress * 100))}
      </p>
      {error === null ? null : <p class="error">{error}</p>}
      {isComplete && isEmpty && error === null ? (
        <p class="note">{l10n.t("No phrase changed more than expected by chance.")}</p>
      ) : null}
      {isEmpty ? null : (
        <div class="phrase-columns">
          <PhraseTable
            dashboard={dashboard}
            title={l10n.t("More often")}
            phrases={more}
            changes={changes}
          />
          <PhraseTable
            dashboard={dashboard}
            title={l10n.t("Less often")}
            phrases={less}
            changes={changes}
          />
        </div>
      )}
    </section>
  );
}

interface TableProps extends PhrasesProps {
  readonly title: string;
  readonly phrases: readonly ChangedPhrase[];
  readonly changes: Changes;
}

function PhraseTable({ dashboard, title, phrases, changes }: TableProps) {
  const [open, setOpen] = useState<string | null>(null);
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {phrases.length === 0 ? (
        <p class="note">{changes.isComplete ? l10n.t("none") : ""}</p>
      ) : (
        <div class="phrase-head" aria-hidden="true">
          <span>{l10n.t("Phrase")}</span>
          <span>{text.beforeHead}</span>
          <span>{text.afterHead}</span>
        </div>
      )}
      <ul>
        {phrases.map((phrase) => {
          const { words, before, after } = phrase;
          const isOpen = words === open;
          return (
            <li key={words}>
              <button
                type="button"
                class="phrase"
                aria-expanded={isOpen}
                onClick={() => setOpen(isOpen ? null : words)}
              >
                <span class="phrase-words">{visibleLine(words)}</span>
                <Share label={text.beforeHead} count={before} total={changes.before} />
                <Share label={text.afterHead} count={after} total={changes.after} />
              </button>
              {isOpen ? <Examples dashboard={dashboard} phrase={phrase} /> : null}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface ShareProps {
  readonly label: string;
  readonly count: number;
  readonly total: number;
}

function Share({ label, count, total }: ShareProps) {
  return (
    <span class="phrase-share" title={label}>
      <span class="share-bar">
        <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
          <rect width={total === 0 ? 0 : (100 * count) / total} height="4" />
        </svg>
      </span>
      {total === 0 ? "–" : `${formatCount(count)} (${formatShare(count / total)})`}
    </span>
  );
}

interface ExamplesProps extends DashboardProps {
  readonly phrase: ChangedPhrase;
}

function Examples({ dashboard, phrase: { words, examples } }: ExamplesProps) {
  const search = (): void => {
    const expression = words.split(" ").join(BETWEEN_WORDS);
    const { isEveryRun } = dashboard.view.value.search;
    dashboard.update({
      tab: "rollouts",
      rolloutPart: "search",
      search: { text: expression, isRegex: true, isCaseSensitive: false, roles: [], isEveryRun },
    });
  };
  return (
    <section class="phrase-examples stack" aria-label={l10n.t("Examples of “{0}”", words)}>
      {examples.map((example, at) => (
        <Example key={at} dashboard={dashboard} example={example} />
      ))}
      <Button class="link" label={l10n.t("Search for it")} onClick={search} />
    </section>
  );
}

interface ExampleProps extends DashboardProps {
  readonly example: PhraseExample;
}

function Example({ dashboard, example }: ExampleProps) {
  const { step, group, rollout, reward, snippet } = example;
  const run = dashboard.data.run.value;
  return (
    <button
      type="button"
      class="snippet example"
      onClick={() => {
        if (run !== null) openFound(dashboard, { ...example, run }, snippet);
      }}
    >
      <span class="example-head wrap">
        {l10n.t("step {0}, group {1}, rollout {2}", formatCount(step + 1), group + 1, rollout + 1)}
        <span class="reward-chip" data-failed={reward === null}>
          {reward === null ? strings.replay.failed : formatReward(reward)}
        </span>
      </span>
      <SnippetText snippet={snippet} />
    </button>
  );
}
