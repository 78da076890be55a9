/** Choosing a model without any list from the service: completion, hover, and diagnostics about models and reasoning. */

import { complete, fixAt, goTo, hover } from "../configEditor.ts";
import { writeFiles } from "../folders.ts";
import type { Journey } from "../journey.ts";

const config = (model: string, thinking: string): string => `model_name: ${model}
batch_size: 32
num_epochs: 1
${thinking}
environments:
  GeneralReasoning/WhoDunIt:
    num_rollouts: 8
    splits:
      train: {}
`;

export const models: Journey = {
  name: "models",
  prepare: (folder) =>
    writeFiles(folder, {
      "open.tinker.yaml": "model_name: \nbatch_size: 32\n",
      "retired.tinker.yaml": config("Qwen/Qwen3-32B", "thinking: true"),
      "effort.tinker.yaml": config("Qwen/Qwen3.8-27B", "thinking: { effort: max }"),
      "always.tinker.yaml": config("openai/gpt-oss-20b", "thinking: false"),
      "secret.tinker.yaml": config("moonshotai/Kimi-K3.1-Pro", "thinking: true"),
      "base.tinker.yaml": config("Qwen/Qwen3.5-9B-Base", "max_total_tokens: 100000"),
    }),
  async run(stage) {
    const { workbench, page, step, picture, pictures } = stage;

    await step("listed models are offered, retired ones are not", async () => {
      await workbench.open("open.tinker.yaml");
      await complete(stage, 1, 13, "Qwen/Qwen3.8-27B");
      await page.keyboard.press("Control+Space");
      await picture("completion");
      await workbench.suggestion("Qwen/Qwen3.8-27B").click();
    });

    await step("hover describes a model", async () => {
      await workbench.open("effort.tinker.yaml");
      await goTo(stage, 1, 16);
      await hover(stage, "65,536 tokens");
      await pictures("hover", () => hover(stage, "65,536 tokens"));
    });

    await step("an effort that the model does not support has a fix", async () => {
      await page.keyboard.press("Control+Shift+M");
      await workbench.problems().getByText("TRL216").first().waitFor();
      await pictures("effort");
      await complete(stage, 4, 22, "medium");
      await picture("efforts");
      await fixAt(stage, 4, 24, "Change to 'xhigh'");
      await workbench.problems().getByText("TRL216").first().waitFor({ state: "hidden" });
    });

    await step("a retired model is marked, with its replacement", async () => {
      await workbench.open("retired.tinker.yaml");
      await workbench.problems().getByText("2026-06-12").first().waitFor();
      await pictures("retired");
      await fixAt(stage, 1, 16, "Change to 'Qwen/Qwen3.6-27B'");
      await workbench.problems().getByText("TRL215").first().waitFor({ state: "hidden" });
    });

    await step(
      "a model that always reasons, one without a public format, and a base model are marked",
      async () => {
        for (const [file, text] of [
          ["always.tinker.yaml", "always reasons"],
          ["secret.tinker.yaml", "not public"],
          ["base.tinker.yaml", "base model"],
        ] as const) {
          await workbench.open(file);
          await workbench.problems().getByText(text).first().waitFor();
          await picture(file.replace(".tinker.yaml", ""));
        }
      },
    );
  },
};
