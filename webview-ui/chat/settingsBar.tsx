/** How the models are sampled from now on, and who answers their tool calls. */

import * as l10n from "@vscode/l10n";
import type { ChatSettings, ChatView } from "../../src/shared/chat.ts";
import { Choice } from "../controls/choice.tsx";
import { NumberField, type NumberFieldProps } from "../controls/numberField.tsx";
import type { ChatProps } from "./chatModel.ts";

interface SettingsProps extends ChatProps {
  readonly view: ChatView;
}

const MAX_SAMPLES = 64;

export function SettingsBar({ chat, view }: SettingsProps) {
  const { settings, configured, task } = view;
  const change = (changed: Partial<ChatSettings>): void =>
    chat.act({ action: "change", settings: changed });
  return (
    <fieldset class="chat-settings">
      <legend class="visually-hidden">{l10n.t("Sampling")}</legend>
      <SettingField
        label={l10n.t("Temperature")}
        value={settings.temperature}
        configured={configured.temperature}
        step="any"
        set={(temperature) => change({ temperature })}
      />
      <SettingField
        label={l10n.t("Max tokens per turn")}
        value={settings.maxTokens}
        configured={configured.maxTokens}
        min={1}
        set={(maxTokens) => change({ maxTokens })}
      />
      <SettingField
        label={l10n.t("Seed")}
        value={settings.seed}
        set={(seed) => change({ seed: seed ?? settings.seed })}
      />
      <SettingField
        label={l10n.t("Samples")}
        value={settings.samples}
        min={1}
        max={MAX_SAMPLES}
        set={(samples) => change({ samples: samples ?? 1 })}
      />
      {task === null ? null : (
        <Choice
          label={l10n.t("Calls answered by")}
          value={settings.answersBy}
          values={["environment", "person"]}
          name={(by) => (by === "person" ? l10n.t("me") : l10n.t("the environment"))}
          choose={(answersBy) => change({ answersBy })}
        />
      )}
    </fieldset>
  );
}

interface SettingProps extends NumberFieldProps {
  readonly configured?: number | null;
}

function SettingField({ configured, ...props }: SettingProps) {
  return (
    <NumberField
      min={0}
      placeholder={configured == null ? "" : String(configured)}
      commitsOnBlur={true}
      {...props}
    />
  );
}
