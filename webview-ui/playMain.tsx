/** The page where a person plays a task. */

import { render } from "preact";
import { PlayApp } from "./play/playApp.tsx";
import { PlayModel } from "./play/playModel.ts";

const root = document.querySelector("#root");
const host = globalThis.acquireVsCodeApi?.();
if (root !== null && host !== undefined) {
  const play = new PlayModel(host);
  render(<PlayApp play={play} />, root);
  play.listen();
}
