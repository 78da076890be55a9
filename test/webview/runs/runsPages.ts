/** The page of the runs table, with the test in place of the extension. */

import { act } from "preact/test-utils";
import type {
  RunsHostMessage,
  RunsPageMessage,
  RunsTableRow,
} from "../../../src/shared/runsPage.ts";
import { RunsModel } from "../../../webview-ui/runs/runsModel.ts";

export function aRunsPage() {
  const sent: RunsPageMessage[] = [];
  let take: (message: RunsHostMessage) => void = () => undefined;
  const runs = new RunsModel({
    isEditor: true,
    postMessage: (message) => void sent.push(message),
    listen: (next) => {
      take = next;
    },
  });
  runs.listen();
  const receive = (message: RunsHostMessage): void => void act(() => take(message));
  /** Receives rows of the table. */
  const list = (rows: readonly RunsTableRow[]): void =>
    receive({ kind: "rows", rows, removed: [], settingKeys: [], unread: 0 });
  return { runs, sent, receive, list };
}
