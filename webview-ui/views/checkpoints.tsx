import type { PanelModel } from "../panelModel.ts";

export function Checkpoints({ panel }: { readonly panel: PanelModel }) {
  return <p>{panel.status.value}</p>;
}
