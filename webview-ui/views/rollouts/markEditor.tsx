/** Star, pin, tags, and note of the open rollout. */

import * as l10n from "@vscode/l10n";
import { useEffect, useId, useState } from "preact/hooks";
import {
  isMarked,
  MAX_NOTE_LENGTH,
  MAX_TAG_LENGTH,
  type Mark,
  type MarkChange,
} from "../../../src/shared/marks.ts";
import { plainKey, type RolloutKey } from "../../../src/shared/rolloutSet.ts";
import { Button, IconButton } from "../../controls/button.tsx";
import type { DashboardModel, DashboardProps } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";
import { visibleLine } from "../../text/visible.ts";

const text = strings.replay.marks;

interface MarkProps extends DashboardProps {
  readonly rolloutKey: RolloutKey;
  readonly mark: Mark;
}

export function MarkButtons({ dashboard, rolloutKey, mark }: MarkProps) {
  return (
    <>
      <IconButton
        icon={mark.star ? "starFull" : "starEmpty"}
        label={text.star}
        hint={`${text.star} s`}
        aria-pressed={mark.star}
        onClick={() => toggleMark(dashboard, rolloutKey, "star", mark)}
      />
      <IconButton
        icon={mark.pin ? "pinned" : "pin"}
        label={text.pin}
        hint={`${text.pin} p`}
        aria-pressed={mark.pin}
        onClick={() => toggleMark(dashboard, rolloutKey, "pin", mark)}
      />
    </>
  );
}

/** Tags and note; collapsed if there are none. */
export function MarkEditor({ dashboard, rolloutKey, mark }: MarkProps) {
  const { tags, note } = mark;
  const [isOpen, setOpen] = useState(tags.length > 0 || note !== "");
  // The text being typed; it is stored when the field loses the focus.
  const [draft, setDraft] = useState<string | null>(null);
  useEffect(() => setDraft(null), [note]);
  const id = useId();
  const change = (next: Parameters<typeof markRollout>[2]): void =>
    markRollout(dashboard, rolloutKey, next);
  if (!isOpen && !isMarked({ ...mark, star: false, pin: false })) {
    return (
      <Button
        class="quiet open-marks"
        icon="tag"
        label={l10n.t("Tags and note")}
        onClick={() => setOpen(true)}
      />
    );
  }
  return (
    <div class="mark-editor wrap">
      <ul class="tags" aria-label={l10n.t("Tags")}>
        {tags.map((tag) => (
          <li key={tag}>
            <span>{visibleLine(tag)}</span>
            <IconButton
              icon="close"
              label={l10n.t("Remove the tag {0}", visibleLine(tag))}
              onClick={() => change({ removeTag: tag })}
            />
          </li>
        ))}
        <li>
          <input
            type="text"
            class="tag-field"
            aria-label={text.addTag}
            placeholder={text.addTag}
            maxLength={MAX_TAG_LENGTH}
            onKeyDown={({ key, currentTarget: field }) => {
              if (key !== "Enter") return;
              const addTag = field.value.trim().replace(/\s+/g, " ");
              field.value = "";
              if (addTag !== "") change({ addTag });
            }}
          />
        </li>
      </ul>
      <label class="note-field" for={id}>
        <span class="visually-hidden">{l10n.t("Note")}</span>
        <textarea
          id={id}
          rows={1}
          maxLength={MAX_NOTE_LENGTH}
          placeholder={l10n.t("A note about this rollout")}
          value={draft ?? note}
          onInput={({ currentTarget: { value } }) => setDraft(value)}
          onChange={({ currentTarget: { value } }) => change({ note: value.trim() })}
        />
      </label>
    </div>
  );
}

/** The mark that a single key toggles; null for other keys. */
export function markKey(key: string): "star" | "pin" | null {
  if (key === "s") return "star";
  return key === "p" ? "pin" : null;
}

export function toggleMark(
  dashboard: DashboardModel,
  key: RolloutKey,
  which: "star" | "pin",
  mark: Mark,
): void {
  markRollout(dashboard, key, { [which]: !mark[which] });
}

function markRollout({ host }: DashboardModel, key: RolloutKey, mark: MarkChange): void {
  host.command("markRollout", { key: plainKey(key), mark });
}
