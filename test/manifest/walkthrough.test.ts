import { expect, it } from "vitest";
import { walkthroughEntries, walkthroughStrings } from "../../scripts/manifest/walkthrough.ts";
import { welcomeStrings } from "../../scripts/manifest/welcome.ts";
import { COMMANDS } from "../../src/host/manifest/commandTable.ts";
import { CONTEXT_KEYS } from "../../src/host/manifest/contextKeyTable.ts";
import { sourcesOf } from "./builtManifest.ts";

interface Step {
  readonly id: string;
  readonly completionEvents: readonly string[];
}

const steps = walkthroughEntries().flatMap((entry) => entry["steps"] as readonly Step[]);
const sources = sourcesOf("src/host")
  .map(({ text }) => text)
  .join("\n");

it.each(steps)("$id is completed by its result, not by a command call", (step) => {
  const [event = ""] = step.completionEvents;
  const key = /^onContext:tinkerRL\.(\w+)$/.exec(event)?.[1] ?? "";
  expect(Object.keys(CONTEXT_KEYS)).toContain(key);
  expect(sources).toContain(`setContextKey("${key}", `);
});

const texts = Object.values({ ...walkthroughStrings(), ...welcomeStrings() });
const buttons = texts.flatMap((text) => [
  ...text.matchAll(/^\[(?<label>[^\]]+)\]\(command:tinkerRL\.(?<id>\w+)\)$/gm),
]);

it.each(buttons.map(({ groups = {} }) => [groups["label"], groups["id"]] as const))(
  "the button %s has the title of its command",
  (label, id = "") => {
    const title = COMMANDS.get(id)?.title ?? "";
    expect(label).toBe(title.replace(/…$| \(.*\)$/, ""));
  },
);
