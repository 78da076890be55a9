/** The page of the dashboard. */

import { render } from "preact";
import { watchTheme } from "./controls/palette.ts";
import { connectHost } from "./model/connectHost.ts";
import { createDashboardModel } from "./model/dashboardModel.ts";
import { App } from "./views/app.tsx";

const root = document.querySelector("#root");
if (root !== null) {
  watchTheme();
  render(<App dashboard={createDashboardModel(connectHost())} />, root);
}
