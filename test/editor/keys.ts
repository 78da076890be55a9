/** Sets keys through the palette, as a user does. */

import type { Workbench } from "../workbench/workbench.ts";

/** Stores a Tinker key; the result of its test does not matter, because no service is reachable. */
export async function setTinkerKey(workbench: Workbench, value: string): Promise<void> {
  await workbench.command("Tinker RL: Set API Key…");
  await workbench.pick("TINKER_API_KEY");
  await workbench.page.getByText("for tinker.thinkingmachines.dev").first().waitFor();
  await workbench.answer(value);
  await workbench.pick("Keep Anyway");
}

/** Stores a secret that an environment requests by name. */
export async function setSecret(workbench: Workbench, name: string, value: string): Promise<void> {
  await workbench.command("Tinker RL: Set API Key…");
  await workbench.pick("Another Secret");
  await workbench.page.getByText("Name of the secret").first().waitFor();
  await workbench.answer(name);
  await workbench.page.getByText("Stored in the secret store").first().waitFor();
  await workbench.answer(value);
  await workbench.input.waitFor({ state: "hidden" });
}

/** Blocks the extension's connections to other computers; this computer is reached directly. */
export const NO_WAY_OUT = { HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: "127.0.0.1" };
