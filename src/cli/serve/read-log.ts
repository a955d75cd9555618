import { type DownloadRequest, findKind } from "../../api/index.ts";
import type { Ref } from "../../progress/index.ts";
import type { ChosenCluster } from "../cluster.ts";
import { storedText } from "../stored-file.ts";

type FileKind = NonNullable<DownloadRequest["spec"]>["target"]["kind"];

const logs: Readonly<Record<string, FileKind>> = { Backup: "BackupLog", Restore: "RestoreLog" };

/** Reads the log that was stored with a backup or a restore; undefined for what keeps none. */
export function logReader(cluster: ChosenCluster) {
  return async (ref: Ref, signal: AbortSignal): Promise<string | undefined> => {
    const kind = logs[ref.kind];
    if (!kind || !findKind(ref.apiVersion, ref.kind) || ref.namespace === undefined) return undefined;
    const place = { client: cluster.client, namespace: ref.namespace };
    return storedText(place, { kind, name: ref.name, timeoutMs: 20_000 }, signal);
  };
}
