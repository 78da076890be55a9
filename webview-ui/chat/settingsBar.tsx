/** How the models are sampled from now on, and who answers their calls. */

import * as l10n from "@vscode/l10n";
import { useEffect, useState } from "preact/hooks";
import type { ChatSettings, ChatView } from "../../src/shared/chat.ts";
import { Choice } from "../controls/choice.tsx";
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
      <NumberField
        label={l10n.t("Temperature")}
        value={settings.temperature}
        configured={configured.temperature}
        step="any"
        onChange={(temperature) => change({ temperature })}
      />
      <NumberField
        label={l10n.t("Max tokens per turn")}
        value={settings.maxTokens}
        configured={configured.maxTokens}
        min={1}
        onChange={(maxTokens) => change({ maxTokens })}
      />
      <NumberField
        label={l10n.t("Seed")}
        value={settings.seed}
        onChange={(seed) => change({ seed: seed ?? settings.seed })}
      />
      <NumberField
        label={l10n.t("Samples")}
        value={settings.samples}
        min={1}
        max={MAX_SAMPLES}
        onChange={(samples) => change({ samples: samples ?? 1 })}
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

interface NumberProps {
  readonly label: string;
  /** Null = as configured. */
  readonly value: number | null;
  readonly configured?: number | null;
  readonly min?: number;
  readonly max?: number;
  readonly step?: "any";
  /** Null for an empty field. */
  readonly onChange: (value: number | null) => void;
}

function NumberField({ label, value, configured, min = 0, max, step, onChange }: NumberProps) {
  // What is being typed: a view that arrives meanwhile must not replace it.
  const [typed, setTyped] = useState<string | null>(null);
  useEffect(() => setTyped(null), [value]);
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="number"
        value={typed ?? value ?? ""}
        placeholder={configured == null ? "" : String(configured)}
        min={min}
        max={max}
        step={step ?? 1}
        onInput={({ currentTarget: input }) => setTyped(input.value)}
        onChange={({ currentTarget: { validity, value: text, valueAsNumber } }) => {
          if (!validity.valid) setTyped(null);
          else onChange(text === "" ? null : valueAsNumber);
        }}
      />
    </label>
  );
}
