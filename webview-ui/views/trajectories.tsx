import type { PanelModel } from "../panelModel.ts";

export function Trajectories({ panel }: { readonly panel: PanelModel }) {
  return <p>{panel.status.value}</p>;
}
