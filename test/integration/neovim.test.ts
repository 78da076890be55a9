import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, it } from "vitest";

const PROGRAM = resolve("dist/trainer/tinker-rl.js");
const LIMIT_MS = 60_000;
const folder = mkdtempSync(join(tmpdir(), "tinker-rl-test-"));

afterEach(() => rmSync(folder, { recursive: true }));

function hasNeovim(): boolean {
  try {
    execFileSync("nvim", ["--version"]);
    return true;
  } catch {
    return false;
  }
}

/** Waits for diagnostics, requests completion and hover, applies the fix, and records the results. */
const SCRIPT = `
local answers = {}
local client = vim.lsp.start_client({ name = "tinker-rl", cmd = { "node", "${PROGRAM}", "lsp" }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, client)
vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 50)
for _, mark in ipairs(vim.diagnostic.get(0)) do table.insert(answers, "mark " .. mark.message) end
local function ask(method, parameters)
  local replies = vim.lsp.buf_request_sync(0, method, parameters, 10000)
  return replies and replies[client] and replies[client].result
end
vim.api.nvim_win_set_cursor(0, { 1, 2 })
table.insert(answers, "hover " .. ask("textDocument/hover", vim.lsp.util.make_position_params()).contents.value)
vim.api.nvim_win_set_cursor(0, { 2, 2 })
local range = vim.lsp.util.make_range_params()
range.context = { diagnostics = {} }
local action = ask("textDocument/codeAction", range)[1]
table.insert(answers, "fix " .. action.title)
vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
vim.api.nvim_buf_set_lines(0, -1, -1, false, { "learn" })
vim.wait(500, function() return false end)
vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(0), 5 })
for _, item in ipairs(ask("textDocument/completion", vim.lsp.util.make_position_params()).items) do
  if item.label == "learning_rate" then table.insert(answers, "item " .. item.label) end
end
vim.fn.writefile(vim.api.nvim_buf_get_lines(0, 0, -1, false), "after.yaml")
vim.fn.writefile(answers, "answers.txt")
vim.cmd("qall!")
`;

it.skipIf(!hasNeovim())(
  "Neovim shows diagnostics, hover, completion and fixes for a configuration",
  async () => {
    const config = join(folder, "tinker-config.yaml");
    writeFileSync(config, "model_name: local/tiny-tool\nbatch_sise: 4\nmax_steps: 2\n");
    writeFileSync(join(folder, "drive.lua"), SCRIPT);
    await promisify(execFile)(
      "nvim",
      ["--headless", "-n", "-u", "NONE", config, "-S", "drive.lua"],
      {
        cwd: folder,
        timeout: LIMIT_MS,
      },
    );
    const answers = readFileSync(join(folder, "answers.txt"), "utf8");
    expect(answers).toMatch(/^mark Unknown key `batch_sise`/m);
    expect(answers).toMatch(/^hover .*model_name/m);
    expect(answers).toMatch(/^fix .*batch_size/m);
    expect(answers).toMatch(/^item learning_rate$/m);
    expect(readFileSync(join(folder, "after.yaml"), "utf8")).toContain("batch_size: 4\n");
  },
  LIMIT_MS,
);
