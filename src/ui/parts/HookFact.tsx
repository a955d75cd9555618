import type { Backup, Restore } from "../../api/index.ts";
import { type Place, server } from "../server.ts";
import { useAsked } from "../use-asked.ts";
import { counted } from "../words.ts";

/** How the hooks of a backup or a restore went; nothing where there are none. */
export function HookFact({
  place,
  version,
  isOver,
}: {
  readonly place: Place;
  readonly version: string;
  readonly isOver: boolean;
}) {
  const { value } = useAsked(
    `${place.kind} ${place.name} ${place.cluster} ${version}`,
    (signal) => server.object(place, signal),
    isOver ? undefined : 5_000,
  );
  const words = hookWords(value as Backup | Restore | undefined); // asked for by one of these kinds
  if (words === "") return null;
  return (
    <div>
      <dt>Hooks</dt>
      <dd>{words}</dd>
    </div>
  );
}

function hookWords(run: Backup | Restore | undefined): string {
  const { hooksAttempted = 0, hooksFailed = 0 } = run?.status?.hookStatus ?? {};
  if (hooksAttempted === 0) return "";
  return `${counted(hooksAttempted, "hook")} run, ${hooksFailed === 0 ? "none failed" : `${hooksFailed} failed`}`;
}
