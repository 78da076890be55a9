/** The page of the runs table. */

import { render } from "preact";
import { watchTheme } from "./controls/palette.ts";
import { formatStart } from "./runs/runColumns.ts";
import { RunsApp } from "./runs/runsApp.tsx";
import { type RunsHost, RunsModel } from "./runs/runsModel.ts";

declare function acquireVsCodeApi(): RunsHost;

const root = document.querySelector("#root");
if (root !== null) {
  watchTheme();
  const runs = new RunsModel(acquireVsCodeApi());
  runs.listen();
  render(<RunsApp runs={runs} />, root);
  // While the extension answers.
  formatStart(0);
}
