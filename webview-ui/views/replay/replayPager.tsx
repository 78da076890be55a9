/** What leads from a replay to the next one, and to the list beside it. */

import { Icon } from "../../controls/icon.tsx";
import type { DashboardModel } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";
import type { ReadingOrder } from "./readingOrder.ts";

const text = strings.replay;

/** For small windows, where the list makes room for the replay. */
export function KeepList({ dashboard }: { readonly dashboard: DashboardModel }) {
  const { isListKept } = dashboard.view.value;
  return (
    <button
      type="button"
      class="quiet only-icon keep-list"
      aria-label={text.keepList}
      aria-pressed={isListKept}
      title={text.keepList}
      onClick={() => dashboard.update({ isListKept: !isListKept })}
    >
      <Icon name="table" />
    </button>
  );
}

/** Where the rollout stands in the list, and the way to the next one. */
export function Pager({ order }: { readonly order: ReadingOrder }) {
  const { at, count, go } = order;
  return (
    <nav class="pager" aria-label={text.order}>
      <button
        type="button"
        class="quiet only-icon"
        aria-label={text.previousRollout}
        title={`${text.previousRollout} k`}
        disabled={at === 0 || count === 0}
        onClick={() => go(-1)}
      >
        <Icon name="chevronUp" />
      </button>
      <span class="fact">{text.orderAt(at + 1, count)}</span>
      <button
        type="button"
        class="quiet only-icon"
        aria-label={text.nextRollout}
        title={`${text.nextRollout} j`}
        disabled={at === count - 1 || count === 0}
        onClick={() => go(1)}
      >
        <Icon name="chevronDown" />
      </button>
    </nav>
  );
}
