import { expect, it, vi } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { aTraining, opened } from "./openedTerminal.ts";

it("shows the output with line ends of a terminal, and ends with the code of a trainer that failed", async () => {
  const { text, codes } = opened(
    aTraining({
      follow: async ({ print }) => {
        print("step 1\nstep 2\r\n");
        return { exitCode: 5, error: null, folder: "/run" };
      },
    }),
  );
  await vi.waitFor(() => expect(codes).toEqual([5]));
  expect(text()).toBe("step 1\r\nstep 2\r\n");
});

it("says so when the trainer vanished, which counts as interrupted", async () => {
  const { text, codes } = opened(
    aTraining({ follow: async () => ({ exitCode: null, error: null, folder: "/run" }) }),
  );
  await vi.waitFor(() => expect(codes).toEqual([6]));
  expect(text()).toContain("can be resumed");
});

it.each([
  [{ exitCode: 2, error: null, folder: null }, 1],
  [{ exitCode: 5, error: null, folder: "/run" }, 0],
  [{ exitCode: null, error: null, folder: "/run" }, 0],
  [{ exitCode: 0, error: null, folder: null }, 0],
])(
  "comes to the front for a failure without a run, which nothing else shows: %j",
  async (end, times) => {
    const show = vi.fn();
    const { codes } = opened(aTraining({ follow: async () => end }), show);
    await vi.waitFor(() => expect(codes).toHaveLength(1));
    expect(show).toHaveBeenCalledTimes(times);
  },
);

it("reports a fault of its own and ends", async () => {
  const { text, codes } = opened(
    aTraining({ follow: () => Promise.reject(new Error("no such program")) }),
  );
  await vi.waitFor(() => expect(codes).toEqual([1]));
  expect(text()).toBe("error: no such program\r\n");
});

it("ends as one that cannot be used when a start is refused in words", async () => {
  const refusal = new AppError("config-invalid", "The task cannot be used: TRL110.");
  const { text, codes } = opened(aTraining({ follow: () => Promise.reject(refusal) }));
  await vi.waitFor(() => expect(codes).toEqual([2]));
  expect(text()).toBe("error: The task cannot be used: TRL110.\r\n");
});

it("takes keys: pause and continue in turn, save, stop, and help", async () => {
  const report = vi.fn(async () => "");
  const { terminal, text } = opened(
    aTraining({ follow: () => new Promise(() => undefined), send: report }),
  );
  terminal.handleInput("psp");
  terminal.handleInput("q");
  terminal.handleInput("x?");
  expect(report.mock.calls).toEqual([["pause"], ["save"], ["continue"], ["stop"]]);
  expect(text()).toContain("Keys: p pause");
});

it("stops and saves at Ctrl+C, and ends at once at the second", () => {
  const report = vi.fn(async () => "");
  const { terminal } = opened(
    aTraining({ follow: () => new Promise(() => undefined), send: report }),
  );
  terminal.handleInput("\u0003");
  terminal.handleInput("\u0003");
  expect(report.mock.calls).toEqual([["stop"], ["stop-now"]]);
});

it("leaves the run going when it is closed", async () => {
  const detached = vi.fn();
  let aborted = false;
  const { terminal } = opened(
    aTraining({
      detached,
      follow: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            aborted = true;
            reject(signal.reason);
          });
        }),
    }),
  );
  terminal.close();
  expect([detached.mock.calls.length, aborted]).toEqual([1, true]);
});
