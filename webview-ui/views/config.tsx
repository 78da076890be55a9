import type { PanelModel } from "../panelModel.ts";

export function Config({ panel }: { readonly panel: PanelModel }) {
  return <p>{panel.status.value}</p>;
}
