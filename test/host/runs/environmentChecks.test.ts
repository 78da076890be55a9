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
function someChecks(memory = new FakeMemory()) {
  const state = {
    files: new Map<string, string>(),
    digest: "a",
    asked: 0,
    errors: [] as unknown[],
    isServerLost: false,
  };
  const checks = new EnvironmentChecks({
    folder: "/storage",
    memory,
    server: {
      request: (async () => {
        state.asked += 1;
        if (state.isServerLost) throw new Error("The server has ended.");
        const value = { folder: "/project/environments/maze", digest: state.digest };
        return { ok: true, value };
      }) as never,
    },
    readText: async (path) => state.files.get(path) ?? null,
    overrides: () => [],
    onError: (error) => state.errors.push(error),
  });
  return { checks, state, memory };
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

it("a badge that could not be read is read again", async () => {
  const earlier = await checked(report("defect"));
  const { checks, state } = someChecks(earlier.memory);
  Object.assign(state, { files: earlier.state.files, isServerLost: true });
  expect(checks.badge(MAZE)).toBeNull();
  await vi.waitFor(() => expect(state.errors).toHaveLength(1));
  state.isServerLost = false;
  checks.badge(MAZE);
  await vi.waitFor(() => expect(shown(checks.badge(MAZE))).toBe("1 defect"));
});

it("keeps the badges of configurations apart", async () => {
  const { checks } = await checked(report("defect"));
  expect(checks.badge({ ...MAZE, config: "/project/other.yaml" })).toBeNull();
});
