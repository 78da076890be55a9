/** Images from the run folder that a replay's text refers to. */

import * as l10n from "@vscode/l10n";
import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import type { RolloutBody } from "../../../src/shared/dashboardTypes.ts";
import { plural } from "../../../src/shared/format.ts";
import type { DashboardProps } from "../../model/dashboardModel.ts";
import { useAsking } from "../../model/useAsking.ts";
import { imagesNamedIn } from "../../text/imagesNamedIn.ts";

type StoredImage = RolloutBody["images"][number];

interface ReplayImagesSource extends DashboardProps {
  readonly images: readonly StoredImage[];
}

/** The shown rollout. */
export const ReplayImagesContext = createContext<ReplayImagesSource | null>(null);

/** Images that the text `of` refers to; renders nothing without references. */
export function ReplayImages({ of }: { readonly of: string }) {
  const source = useContext(ReplayImagesContext);
  if (source === null) return null;
  const { dashboard, images } = source;
  const named = imagesNamedIn(of, images.length);
  if (named.length === 0) return null;
  return (
    <div class="replay-images">
      {named.map((number) => {
        const image = images[number - 1];
        if (image === undefined) return null;
        return <ReplayImage key={number} dashboard={dashboard} image={image} number={number} />;
      })}
    </div>
  );
}

interface ReplayImageProps extends Pick<ReplayImagesSource, "dashboard"> {
  readonly image: StoredImage;
  readonly number: number;
}

function ReplayImage({ dashboard, image, number }: ReplayImageProps) {
  const { file, width, height, tokens } = image;
  const [address, setAddress] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  useAsking(
    dashboard,
    () =>
      dashboard.host.ask({ ask: "image", file }, (answer) => {
        if (answer.kind === "image") setAddress(answer.address);
        else if (answer.kind === "error") setError(answer.message);
      }),
    [file],
  );
  return (
    <figure class="replay-image">
      {address === null ? null : (
        <img
          src={address}
          alt={l10n.t("Image {0} of the rollout", number)}
          width={width}
          height={height}
        />
      )}
      {error === null ? null : <p class="error">{error}</p>}
      <figcaption class="fact">
        {plural(
          tokens,
          "[image {1}]: {2} x {3} pixels, {0} token",
          "[image {1}]: {2} x {3} pixels, {0} tokens",
          number,
          width,
          height,
        )}
      </figcaption>
    </figure>
  );
}
