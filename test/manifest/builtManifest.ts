/** The manifest as VS Code reads it, limited to what the tests check. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

const entry = z.looseObject({ command: z.string(), when: z.string().optional() });
const setting = z.object({
  enum: z.array(z.string()).optional(),
  enumDescriptions: z.array(z.string()).optional(),
});

const schema = z.object({
  extensionKind: z.array(z.string()),
  engines: z.object({ vscode: z.string() }),
  main: z.string(),
  bin: z.record(z.string(), z.string()),
  icon: z.string(),
  devDependencies: z.record(z.string(), z.string()),
  activationEvents: z.array(z.string()),
  capabilities: z.object({
    virtualWorkspaces: z.object({ supported: z.string() }),
    untrustedWorkspaces: z.object({ restrictedConfigurations: z.array(z.string()) }),
  }),
  contributes: z.object({
    commands: z.array(
      entry.extend({ icon: z.string().optional(), enablement: z.string().optional() }),
    ),
    menus: z.record(z.string(), z.array(entry)),
    keybindings: z.array(entry.extend({ key: z.string(), mac: z.string() })),
    views: z.record(z.string(), z.array(z.object({ id: z.string(), icon: z.string() }))),
    viewsContainers: z.object({ activitybar: z.array(z.object({ icon: z.string() })) }),
    viewsWelcome: z.array(z.object({ view: z.string(), when: z.string().optional() })),
    walkthroughs: z.array(
      z.object({
        id: z.string(),
        steps: z.array(
          z.object({
            media: z.object({ svg: z.string() }),
            completionEvents: z.array(z.string()).optional(),
          }),
        ),
      }),
    ),
    languageModelTools: z.array(
      z.object({
        name: z.string().regex(/^[\w-]+$/),
        toolReferenceName: z.string().regex(/^[\w-]+$/),
        modelDescription: z.string(),
        icon: z.string(),
        inputSchema: z.looseObject({ type: z.literal("object") }),
      }),
    ),
    configuration: z.array(
      z.object({ properties: z.record(z.string(), setting.extend({ scope: z.string() })) }),
    ),
    jsonValidation: z.array(z.object({ fileMatch: z.array(z.string()), url: z.string() })),
    taskDefinitions: z.array(
      z.object({ type: z.string(), properties: z.record(z.string(), setting) }),
    ),
    problemPatterns: z.array(z.looseObject({ regexp: z.string() })),
    problemMatchers: z.array(
      z.looseObject({
        name: z.string(),
        background: z.object({ beginsPattern: z.string(), endsPattern: z.string() }).optional(),
      }),
    ),
  }),
});

export const manifest = schema.parse(JSON.parse(readFileSync("package.json", "utf8")));

export const strings = z
  .record(z.string(), z.string())
  .parse(JSON.parse(readFileSync("package.nls.json", "utf8")));

/** Every when clause and enablement of the manifest. */
export function whenClauses(): readonly string[] {
  const { commands, menus, keybindings, viewsWelcome } = manifest.contributes;
  return [
    ...commands.map(({ enablement }) => enablement),
    ...[...Object.values(menus).flat(), ...keybindings, ...viewsWelcome].map(({ when }) => when),
  ].filter((when) => when !== undefined);
}

/** The sources below the given folders, by path. */
export function sourcesOf(
  ...folders: readonly string[]
): readonly { readonly path: string; readonly text: string }[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => join(folder, name))
      .map((path) => ({ path, text: readFileSync(path, "utf8") })),
  );
}
