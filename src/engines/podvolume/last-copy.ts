import { type PodVolumeBackup, veleroNames } from "../../api/index.ts";
import { type Client, isNotFound } from "../../kube/index.ts";
import { resources } from "./resources.ts";

/** The size of the newest good copy among some. */
export function lastSize(copies: readonly PodVolumeBackup[]): number | undefined {
  const sizes = copies.flatMap(({ status }) => {
    const bytes = status?.progress?.totalBytes;
    if (status?.phase !== "Completed" || !bytes) return [];
    return [{ bytes, at: Date.parse(status.completionTimestamp ?? "") || 0 }];
  });
  return sizes.toSorted((a, b) => b.at - a.at)[0]?.bytes;
}

/** What each claim (`namespace/name`) held when it was last copied well. */
export function lastSizes(copies: Iterable<PodVolumeBackup>): ReadonlyMap<string, number> {
  const byClaim = Map.groupBy(copies, ({ metadata, spec }) => {
    const claim = metadata.annotations?.[veleroNames.pvcName];
    return claim && `${spec?.pod.namespace ?? ""}/${claim}`;
  });
  return new Map(
    [...byClaim].flatMap(([claim, all]) => {
      const bytes = claim ? lastSize(all) : undefined;
      return claim && bytes !== undefined ? [[claim, bytes] as const] : [];
    }),
  );
}

/**
 * How large a claim was when it was last copied, by any backup that is still known: what to expect of the next copy. One
 * request for each claim; a claim has as many copies as backups are kept. Not knowing is no failure.
 */
export async function lastSizeOf(
  client: Pick<Client, "list">,
  claim: { readonly namespace: string; readonly uid: string },
  signal: AbortSignal,
): Promise<number | undefined> {
  if (claim.uid === "") return undefined;
  const query = { namespace: claim.namespace, labelSelector: `${veleroNames.pvcUid}=${claim.uid}` };
  try {
    return lastSize(await client.list<PodVolumeBackup>(resources.podVolumeBackups, query, signal));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
