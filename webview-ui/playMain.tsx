/** The page of a task that a person plays. */

import { render } from "preact";
import { PlayApp } from "./play/playApp.tsx";
import { type PlayHost, PlayModel } from "./play/playModel.ts";

declare function acquireVsCodeApi(): PlayHost;

const root = document.querySelector("#root");
if (root !== null) {
  const play = new PlayModel(acquireVsCodeApi());
  render(<PlayApp play={play} />, root);
  play.listen();
}
