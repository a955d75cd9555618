import { type Backup, kinds, type Restore } from "../api/index.ts";
import { claimRestores } from "../engines/csi/index.ts";
import { heldBack } from "../engines/podvolume/index.ts";
import { type PlanFile, planRestore } from "../engines/restore/index.ts";
import type { PlannedData, PlannedTime, RestorePlan } from "../kinds/index.ts";
import { type Client, type Clock, missingRight, systemClock } from "../kube/index.ts";
import { type FileWanted, HistoryShelf, type LinkCheck, storedFile } from "../observe/index.ts";
import { foretell, type History } from "../progress/index.ts";
import type { PlanRestore } from "../server/index.ts";

/** Who looks ahead, and how. */
interface PlanFor {
  /** With the rights of whoever asks. */
  readonly client: Client;
  /** The namespace of the server's own objects. */
  readonly namespace: string;
  /** Whether links are those of the backup's location: for servers, which may reach what the asker may not. */
  readonly check?: LinkCheck | undefined;
  readonly clock?: Clock;
  readonly moved?: ((done: number, total: number) => void) | undefined;
}

const fileKinds: Readonly<Record<PlanFile, FileWanted["kind"]>> = {
  contents: "BackupContents",
  volumeInfo: "BackupVolumeInfos",
  volumeSnapshots: "BackupVolumeSnapshots",
};

/** What a Restore would do, found out with the rights of whoever asks: nothing is written but requests for links. */
export async function planFor(
  wanted: Restore,
  { client, namespace, check, clock = systemClock, moved }: PlanFor,
  signal: AbortSignal,
): Promise<RestorePlan> {
  const { from, spec, ...plan } = await planRestore(
    wanted,
    {
      client,
      namespace,
      clock,
      read: (file, name, stop) =>
        storedFile({ client, namespace, check }, { kind: fileKinds[file], name }, stop),
      prepare: (whole, stop) =>
        heldBack({ client, namespace, helperImage: "headway" }, whole, stop).catch((error: unknown) => {
          if (!missingRight(error)) throw error;
          return whole.pod; // the settings of the container that waits are in a ConfigMap that the person may not read
        }),
      openOperations: (dry) => [
        claimRestores({ client: claimClient(client, dry), namespace, clock, log: () => undefined }),
      ],
      moved,
    },
    signal,
  );
  if (plan.faults.length > 0) return plan;
  const shelf = new HistoryShelf({ client, namespace, clock });
  await shelf.load(signal); // whoever may not read it gets no estimate, and nothing else is lost
  const restore = { ...wanted, ...(spec && { spec }) };
  const book = shelf.book(restore);
  const time = timeOf(book.parts[""]) ?? tookTime(from);
  const volumes = plan.volumes.map((volume) => withTime(volume, (part) => book.volume?.(part)));
  return { ...plan, volumes, ...(time && { time }) };
}

/** Looks ahead for the page: with the token of whoever is signed in, or as the server where that is one's own. */
export function planner(client: Client, downloads?: () => string | undefined): PlanRestore {
  return async (object, token, signal) => {
    const own = token === undefined ? client : client.withToken(token);
    try {
      const restore = object as Restore; // its kind was looked at; its fields are checked as those of any Restore
      const { namespace = "" } = restore.metadata;
      return await planFor(restore, { client: own, namespace, check: { client, downloads } }, signal);
    } finally {
      if (own !== client) own.close();
    }
  };
}

/** What the engine of CSI snapshots asks of a cluster: reads with the person's rights; downloads are not asked for. */
function claimClient(client: Client, dry: Pick<Client, "get">): Client {
  const isDownload = (resource: { readonly kind: string }) => resource.kind === kinds.DataDownload.kind;
  const reads: Pick<Client, "get" | "list" | "create"> = {
    get: (resource, name, place, signal) => dry.get(resource, name, place, signal),
    list: (resource, query, signal) =>
      isDownload(resource) ? Promise.resolve([]) : client.list(resource, query, signal),
    create: (_resource, object) => Promise.resolve(object as never), // the caller's own type, as it was given
  };
  return reads as Client; // it does nothing else before it waits, and a plan does not wait
}

function withTime(
  volume: PlannedData,
  history: (part: { readonly kind: string; readonly title: string }) => History | undefined,
): PlannedData {
  const { namespace, pod, volume: name } = volume;
  const part =
    volume.method === "pod volume"
      ? { kind: "podvolumerestore", title: `${namespace}/${pod}: ${name}` }
      : { kind: "datadownload", title: `${namespace}/${volume.name}` };
  const known = volume.method === "pod volume" || volume.method === "moved data" ? history(part) : undefined;
  const time = timeOf(known) ?? volume.time;
  return { ...volume, ...(time && { time }) };
}

function timeOf(history: History | undefined): PlannedTime | undefined {
  const told = foretell(history);
  return told && { ...told, from: "restores" };
}

function tookTime(backup: Backup | undefined): PlannedTime | undefined {
  const { startTimestamp, completionTimestamp } = backup?.status ?? {};
  const ms = Date.parse(completionTimestamp ?? "") - Date.parse(startTimestamp ?? "");
  return ms >= 0 ? { seconds: ms / 1000, from: "backup" } : undefined;
}
