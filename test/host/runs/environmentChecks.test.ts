import { expect, it, vi } from "vitest";
import {
  badgeText,
  type CheckBadge,
  EnvironmentChecks,
} from "../../../src/host/runs/environmentChecks.ts";
import { FakeMemory } from "../fakeMemory.ts";

const MAZE = { name: "maze", config: "/project/tinker-config.yaml" };

function report(...severities: readonly string[]): string {
  const findings = severities.map((severity) => ({ severity, message: "It is paid." }));
  return JSON.stringify({ environments: [{ environment: "maze", checks: [{ findings }] }] });
}

/** `files` are those on disk, `digest` is the code's current digest, `asked` counts how often it was read. */
function someChecks() {
  const state = { files: new Map<string, string>(), digest: "a", asked: 0 };
  const checks = new EnvironmentChecks({
    folder: "/storage",
    memory: new FakeMemory(),
    server: {
      request: (async () => {
        state.asked += 1;
        const value = { folder: "/project/environments/maze", digest: state.digest };
        return { ok: true, value };
      }) as never,
    },
    readText: async (path) => state.files.get(path) ?? null,
    overrides: () => [],
    onError: (error) => {
      throw error;
    },
  });
  return { checks, state };
}

async function checked(text: string) {
  const parts = someChecks();
  const check = await parts.checks.begin(MAZE);
  parts.state.files.set(check.file, text);
  await check.done();
  return parts;
}

const shown = (badge: CheckBadge | null): string | null => badge && badgeText(badge);

it("an unchecked environment has no badge", () => {
  expect(someChecks().checks.badge(MAZE)).toBeNull();
});

it.each([
  [[], "check passed"],
  [["note"], "check passed"],
  [["warning"], "check passed, 1 warning"],
  [["defect", "warning", "defect"], "2 defects"],
])("counts the findings of a check: %j is %s", async (severities, text) => {
  const { checks } = await checked(report(...severities));
  expect(shown(checks.badge(MAZE))).toBe(text);
});

it("reports that the code has changed since, until it is restored", async () => {
  const { checks, state } = await checked(report("defect"));
  state.digest = "b";
  checks.saved("/project/environments/maze/environment.py");
  await vi.waitFor(() => expect(shown(checks.badge(MAZE))).toBe("1 defect, code changed since"));
  state.digest = "a";
  checks.saved("/project/notes.md");
  checks.saved(MAZE.config);
  await vi.waitFor(() => expect(shown(checks.badge(MAZE))).toBe("1 defect"));
});

it("does not read code in another folder than that of the saved file", async () => {
  const { checks, state } = await checked(report());
  const before = state.asked;
  checks.saved("/project/notes.md");
  await Promise.resolve();
  expect(state.asked).toBe(before);
});

it("an unreadable report gives no badge", async () => {
  const { checks } = await checked(report("defect").slice(0, -9));
  expect(checks.badge(MAZE)).toBeNull();
});

it("keeps the badges of configurations apart", async () => {
  const { checks } = await checked(report("defect"));
  expect(checks.badge({ ...MAZE, config: "/project/other.yaml" })).toBeNull();
});
