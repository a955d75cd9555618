import { kinds, type Restore } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { resourceOf } from "../../kube/index.ts";
import { storedFile, unpacked } from "../../observe/index.ts";
import { notYet } from "../backup/files.ts";
import { openCluster } from "../cluster.ts";
import { given, type Input } from "../command.ts";
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

/** Prints the log of a restore that has ended; `--follow` waits for the end, since the log is stored then. */
export async function printLogs(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  if (given(input, "follow")) {
    const { followToLog } = await import("../watch/wait.ts");
    const code = await followToLog("restore", input, io, signal);
    if (code !== undefined) return code;
  }
  const cluster = await openCluster(input, io);
  const { client, namespace } = cluster;
  const [name = ""] = input.args;
  try {
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
    for await (const chunk of unpacked(bytes, wanted, { signal })) io.out(String(chunk));
    return 0;
  } finally {
    client.close();
  }
}
