/** A dashboard with the test in place of the extension. */

import { act } from "preact/test-utils";
import type {
  CommandArgs,
  DashboardCommand,
  DashboardQuestion,
  HostMessage,
  RunFacts,
} from "../../src/shared/dashboardMessages.ts";
import type { RunView } from "../../src/shared/dashboardTypes.ts";
import {
  createDashboardModel,
  type DashboardModel,
} from "../../webview-ui/model/dashboardModel.ts";
import type { Answer, Host } from "../../webview-ui/model/host.ts";

interface Asked {
  readonly question: DashboardQuestion;
  readonly answer: (answer: Answer) => void;
  isCanceled: boolean;
}

export interface ADashboard {
  readonly dashboard: DashboardModel;
  /** In the order in which they were requested. */
  readonly asked: readonly Asked[];
  readonly commands: readonly CommandArgs[];
  /** Sends the page a message from the extension. */
  receive(message: HostMessage): void;
  /** The run, and further facts about it. */
  know(run: Partial<RunView>, facts?: Partial<RunFacts>): void;
  /** Sends everything from the beginning, as after a resume. */
  startOver(run: Partial<RunView>, facts?: Partial<RunFacts>): void;
}

/** `can` sets the available commands. */
export function aDashboard(can: Host["can"] = () => true): ADashboard {
  const asked: Asked[] = [];
  const commands: CommandArgs[] = [];
  let receive: (message: HostMessage) => void = () => undefined;
  const host = {
    loadState: () => null,
    saveState: () => undefined,
    can,
    menuItem: () => [],
    requestColumns: () => undefined,
    listen: (take: typeof receive) => {
      receive = take;
    },
    command: (_: DashboardCommand, args: CommandArgs) => void commands.push(args),
    ask: (question: DashboardQuestion, take: (answer: Answer) => void) => {
      const own: Asked = {
        question,
        answer: (answer) => {
          if (!own.isCanceled) void act(() => take(answer));
        },
        isCanceled: false,
      };
      asked.push(own);
      return () => {
        own.isCanceled = true;
      };
    },
    askLater: (question: DashboardQuestion, _: number, take: (answer: Answer) => void) =>
      host.ask(question, take),
  } as unknown as Host; // as much of it as is used
  const factsOf = (run: Partial<RunView>, facts: Partial<RunFacts>) =>
    ({ ...facts, run }) as unknown as RunFacts; // only the members it reads
  return {
    dashboard: createDashboardModel(host),
    asked,
    commands,
    receive: (message) => void act(() => receive(message)),
    know: (run, facts = {}) =>
      void act(() => receive({ kind: "facts", facts: factsOf(run, facts) })),
    startOver: (run, facts = {}) =>
      void act(() => receive({ kind: "replace", facts: factsOf(run, facts), names: [] })),
  };
}
