/** In which settings the compared runs differ. */

import { ScrollRegion } from "../controls/scrollRegion.tsx";
import { runsStrings as text } from "../strings/runs.ts";
import { visibleLine } from "../text/visible.ts";
import { settingNumber, settingValue } from "./runColumns.ts";
import { RunHead } from "./runHead.tsx";
import type { RunsModel } from "./runsModel.ts";

export function CompareConfig({ runs }: { readonly runs: RunsModel }) {
  const compared = runs.compared.value;
  const [first] = compared;
  const keys = runs.settingKeys.value.filter(
    (key) => new Set(compared.map(({ settings }) => settings[key])).size > 1,
  );
  if (first === undefined) return null;
  return (
    <div class="compare-page">
      {keys.length === 0 ? <p class="message">{text.sameSettings}</p> : null}
      <ScrollRegion label={text.tabs.config}>
        <table class="plain config-table">
          <thead>
            <tr>
              <th scope="col">{text.setting}</th>
              {compared.map((run) => (
                <th scope="col" key={run.id}>
                  <RunHead runs={runs} run={run} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <tr key={key}>
                <th scope="row" class="name">
                  {visibleLine(key)}
                </th>
                {compared.map(({ id, settings }) => (
                  <td
                    key={id}
                    class="config-value"
                    data-differs={settings[key] !== first.settings[key]}
                  >
                    {settingText(settings[key])}
                  </td>
                ))}
              </tr>
            ))}
            <tr>
              <th scope="row">{text.whole}</th>
              {compared.map(({ id, name }) => (
                <td key={id}>
                  {id === first.id ? (
                    <span class="fact">{text.baseline}</span>
                  ) : (
                    <button
                      type="button"
                      class="link"
                      title={text.diffHint(visibleLine(first.name), visibleLine(name))}
                      onClick={() => runs.send({ kind: "diff", left: first.id, right: id })}
                    >
                      {text.diff}
                    </button>
                  )}
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </ScrollRegion>
    </div>
  );
}

function settingText(json: string | undefined): string {
  const value = settingValue(json);
  if (typeof value === "number") return settingNumber(value);
  return value === null ? "–" : visibleLine(String(value));
}
