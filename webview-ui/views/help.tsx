/** The keyboard map. */

import * as l10n from "@vscode/l10n";
import { useEffect, useRef } from "preact/hooks";
import { IconButton } from "../controls/button.tsx";
import type { DashboardProps } from "../model/dashboardModel.ts";
import { strings } from "../strings/strings.ts";

interface HelpProps extends DashboardProps {
  readonly close: () => void;
}

export function Help({ dashboard, close }: HelpProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog class="help" ref={dialog} aria-labelledby="help-title" onClose={close}>
      <div class="help-head row">
        <h2 id="help-title">{l10n.t("Keyboard shortcuts")}</h2>
        <IconButton icon="close" label={strings.close} onClick={() => dialog.current?.close()} />
      </div>
      {dashboard.settings.value.hasSingleKeys ? null : (
        <p>{l10n.t("Single keys are switched off in the settings.")}</p>
      )}
      <dl>
        {strings.help.keys.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key, index) => (
                <Key key={index} text={key} />
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}

/** Separators between keys are not keys. */
function Key({ text }: { readonly text: string }) {
  if (text === "or" || text === "…") return <span>{text}</span>;
  return text.endsWith(",") ? (
    <>
      <kbd>{text.slice(0, -1)}</kbd>
      <span>,</span>
    </>
  ) : (
    <kbd>{text}</kbd>
  );
}
