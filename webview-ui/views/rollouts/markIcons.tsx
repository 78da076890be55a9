/** The marks of a rollout as small signs. */

import { isMarked, type Mark } from "../../../src/shared/marks.ts";
import { Icon } from "../../controls/icon.tsx";
import { strings } from "../../strings/strings.ts";

const text = strings.trajectories;

export function MarkIcons({ mark }: { readonly mark: Mark }) {
  if (!isMarked(mark)) return null;
  const { star, pin, tags, note } = mark;
  const said = [
    ...(pin ? [text.pinned] : []),
    ...(star ? [text.starred] : []),
    ...tags.map(text.tagged),
    ...(note === "" ? [] : [text.noted]),
  ];
  return (
    <span class="mark-icons">
      {pin ? <Icon name="pinned" /> : null}
      {star ? <Icon name="starFull" /> : null}
      {tags.length > 0 || note !== "" ? <Icon name="tag" /> : null}
      <span class="visually-hidden">{said.join(", ")}</span>
    </span>
  );
}
