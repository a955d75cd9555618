import { kinds, type Restore } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { resourceOf } from "../../kube/index.ts";
import { storedFile, unpacked } from "../../observe/index.ts";
import { notYet, printStoredLog } from "../backup/files.ts";
import { type ChosenCluster, openCluster } from "../cluster.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";

const ended = [
  "Completed",
  "PartiallyFailed",
  "Failed",
  "Finalizing",
  "FinalizingPartiallyFailed",
  "WaitingForPluginOperations",
  "WaitingForPluginOperationsPartiallyFailed",
];

/** Prints the log of a restore that has ended; with `--follow` also of one that runs, as it is written. */
export async function printLogs(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const cluster = await openCluster(input, io);
  try {
    return await printStoredLog("restore", input, io, signal, () =>
      openLog(cluster, input.args[0] ?? "", signal),
    );
  } finally {
    cluster.client.close();
  }
}

async function openLog(
  cluster: ChosenCluster,
  name: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { client, namespace } = cluster;
  const { status } = await client.get<Restore>(resourceOf(kinds.Restore), name, { namespace }, signal);
  const phase = status?.phase ?? "New";
  if (phase === "FailedValidation") {
    const why = status?.validationErrors?.join("; ") ?? "";
    throw new AppError("DOWNLOAD_FAILED", `restore "${name}" was refused, so it has no log: ${why}`);
  }
  if (!ended.includes(phase)) throw notYet("restore", name, phase);
  const wanted = { kind: "RestoreLog", name } as const;
  const bytes = await storedFile(cluster, wanted, signal);
  if (bytes === undefined)
    throw new AppError("DOWNLOAD_FAILED", `the storage location has no log of restore "${name}"`);
  return unpacked(bytes, wanted, { signal });
}
