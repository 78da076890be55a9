/** The chat page. */

import { render } from "preact";
import { ChatApp } from "./chat/chatApp.tsx";
import { ChatModel } from "./chat/chatModel.ts";

const root = document.querySelector("#root");
const host = globalThis.acquireVsCodeApi?.();
if (root !== null && host !== undefined) {
  const chat = new ChatModel(host);
  render(<ChatApp chat={chat} />, root);
  chat.listen();
}
