/** The full configuration and the source of each value. */

import * as l10n from "@vscode/l10n";
import { useState } from "preact/hooks";
import type { ConfigEntry, ConfigView } from "../../src/shared/dashboardTypes.ts";
import { formatCount, plural } from "../../src/shared/format.ts";
import { Button, IconButton } from "../controls/button.tsx";
import { ScrollRegion } from "../controls/scrollRegion.tsx";
import { TableHead } from "../controls/tableHead.tsx";
import { useScroll } from "../controls/useScroll.ts";
import type { DashboardModel, DashboardProps } from "../model/dashboardModel.ts";
import { useAsking } from "../model/useAsking.ts";
import { strings } from "../strings/strings.ts";
import { KeyText } from "../text/keyText.tsx";
import { visibleLine } from "../text/visible.ts";
import { matcher } from "./charts/metricPicker.tsx";

const text = strings.config;

export function Config({ dashboard }: DashboardProps) {
  const { config, error } = useConfig(dashboard);
  const scrolled = useScroll(dashboard, "config");
  if (error !== null) return <p class="message">{error}</p>;
  if (config === null) return null;
  if (config.entries.length === 0)
    return <p class="message">{l10n.t("This folder has no readable config.resolved.json.")}</p>;
  const { configFilter, isOnlyChanged } = dashboard.view.value;
  const matches = matcher(configFilter);
  const shown = config.entries.filter(
    ({ key, value, origin }) =>
      (!isOnlyChanged || origin !== "default") && (matches(key) || matches(value)),
  );
  return (
    <div class="page stack" ref={scrolled}>
      <ConfigHead dashboard={dashboard} config={config} shown={shown.length} />
      {shown.length === 0 ? (
        <p class="message">{l10n.t("No key matches.")}</p>
      ) : (
        <div class="card flush">
          <ScrollRegion label={strings.runParts.config}>
            <table class="plain config-table">
              <TableHead
                heads={[
                  [l10n.t("Key")],
                  [l10n.t("Value")],
                  [l10n.t("From")],
                  [strings.checkpoints.actions, "hidden"],
                ]}
              />
              <tbody>
                {shown.map((entry) => (
                  <Entry key={entry.key} dashboard={dashboard} entry={entry} />
                ))}
              </tbody>
            </table>
          </ScrollRegion>
        </div>
      )}
    </div>
  );
}

/** Null until the shown run has answered. */
function useConfig(dashboard: DashboardModel) {
  const [config, setConfig] = useState<ConfigView | null>(null);
  const [error, setError] = useState<string | null>(null);
  useAsking(dashboard, () => {
    setConfig(null);
    setError(null);
    return dashboard.host.ask({ ask: "config" }, (answer) => {
      if (answer.kind === "config") setConfig(answer.config);
      else if (answer.kind === "error") setError(answer.message);
    });
  }, []);
  return { config, error };
}

interface HeadProps extends DashboardProps {
  readonly config: ConfigView;
  readonly shown: number;
}

function ConfigHead({ dashboard, config, shown }: HeadProps) {
  const { configFilter, isOnlyChanged } = dashboard.view.value;
  return (
    <>
      <search class="controls wrap">
        <input
          type="search"
          class="wide"
          placeholder={text.filter}
          aria-label={text.filter}
          value={configFilter}
          onInput={({ currentTarget: { value } }) => dashboard.update({ configFilter: value })}
        />
        <Button
          class="toggle"
          label={l10n.t("Only keys that are set")}
          aria-pressed={isOnlyChanged}
          onClick={() => dashboard.update({ isOnlyChanged: !isOnlyChanged })}
        />
        <span class="fact">
          {shown === config.entries.length
            ? plural(config.entries.length, "{0} key", "{0} keys")
            : plural(
                config.entries.length,
                "{1} of {0} key",
                "{1} of {0} keys",
                formatCount(shown),
              )}
        </span>
        {config.path === null || !dashboard.host.can("openConfigAt") ? null : (
          <Button
            class="quiet push"
            icon="goToFile"
            label={l10n.t("Open configuration")}
            title={visibleLine(config.path)}
            onClick={() => dashboard.host.command("openConfigAt", { path: [] })}
          />
        )}
      </search>
      {config.overrides.length === 0 ? null : (
        <p class="overrides wrap">
          <span class="fact">{l10n.t("Overrides")}</span>
          {config.overrides.map((override) => (
            <code key={override}>{visibleLine(override)}</code>
          ))}
        </p>
      )}
    </>
  );
}

function Entry({
  dashboard,
  entry,
}: DashboardProps & {
  readonly entry: ConfigEntry;
}) {
  const { key, path, value, origin, isTunable } = entry;
  const shownKey = visibleLine(key);
  return (
    <tr data-origin={origin ?? undefined}>
      <th scope="row" class="name">
        <KeyText text={shownKey} />
        {isTunable ? (
          <span class="badge" title={l10n.t("Can be changed during the run")}>
            {l10n.t("tunable")}
          </span>
        ) : null}
      </th>
      <td class="config-value">{visibleLine(value)}</td>
      <td>
        {origin === null ? (
          strings.none
        ) : (
          <span class={origin === "default" ? "fact" : "badge"} data-origin={origin}>
            {text.origins[origin]}
          </span>
        )}
      </td>
      <td class="row-actions">
        {origin === "file" && dashboard.host.can("openConfigAt") ? (
          <IconButton
            icon="goToFile"
            label={l10n.t("Open {0} in the configuration", shownKey)}
            onClick={() => dashboard.host.command("openConfigAt", { path })}
          />
        ) : null}
      </td>
    </tr>
  );
}
