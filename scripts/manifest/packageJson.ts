/** The generated parts of `package.json` and `package.nls.json`; the rest of both is handwritten. */

import * as z from "zod";
import { commandEntries, commandStrings, keybindingEntries, menuEntries } from "./commands.ts";
import { configurationEntries, restrictedSettings, settingStrings } from "./settings.ts";
import { toolEntries, toolStrings } from "./tools.ts";
import { walkthroughEntries, walkthroughStrings } from "./walkthrough.ts";
import { welcomeEntries, welcomeStrings } from "./welcome.ts";

const manifest = z.looseObject({
  capabilities: z.looseObject({ untrustedWorkspaces: z.looseObject({}) }),
  contributes: z.looseObject({}),
});
const strings = z.record(z.string(), z.string());

/** Generated keys of `package.nls.json`; all others are kept. */
const GENERATED = /^(command|setting|settings|tool|walkthrough|welcome)\./;

/** `text` with everything derived from the tables. */
export function withContributions(text: string): string {
  const written = manifest.parse(JSON.parse(text));
  const { capabilities, contributes } = written;
  return json({
    ...written,
    capabilities: {
      ...capabilities,
      untrustedWorkspaces: {
        ...capabilities.untrustedWorkspaces,
        restrictedConfigurations: restrictedSettings(),
      },
    },
    contributes: {
      ...contributes,
      commands: commandEntries(),
      menus: menuEntries(),
      keybindings: keybindingEntries(),
      configuration: configurationEntries(),
      languageModelTools: toolEntries(),
      viewsWelcome: welcomeEntries(),
      walkthroughs: walkthroughEntries(),
    },
  });
}

/** The `text` of `package.nls.json` with the tables' strings after the handwritten ones. */
export function withStrings(text: string): string {
  const written = Object.entries(strings.parse(JSON.parse(text)));
  return json({
    ...Object.fromEntries(written.filter(([key]) => !GENERATED.test(key))),
    ...commandStrings(),
    ...settingStrings(),
    ...toolStrings(),
    ...welcomeStrings(),
    ...walkthroughStrings(),
  });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
