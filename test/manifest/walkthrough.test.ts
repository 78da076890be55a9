import { expect, it } from "vitest";
import { walkthroughEntries } from "../../scripts/manifest/walkthrough.ts";
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

it.each(steps)("$id is ticked by what was done, not by a command that was called", (step) => {
  const [event = ""] = step.completionEvents;
  const key = /^onContext:tinkerRL\.(\w+)$/.exec(event)?.[1] ?? "";
  expect(Object.keys(CONTEXT_KEYS)).toContain(key);
  expect(sources).toContain(`setContextKey("${key}", `);
});
