/** The dashboard page. */

import { render } from "preact";
import { watchTheme } from "./charts/drawing/palette.ts";
import { createDashboardModel } from "./model/dashboardModel.ts";
import { connectHost } from "./model/host.ts";
import { App } from "./views/app.tsx";

const root = document.querySelector("#root");
if (root !== null) {
  watchTheme();
  render(<App dashboard={createDashboardModel(connectHost())} />, root);
}
