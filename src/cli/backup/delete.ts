import { createInterface } from "node:readline/promises";
import { type Backup, kinds } from "../../api/index.ts";
import { deleteRequest } from "../../engines/backup/index.ts";
import { AppError } from "../../errors.ts";
import { cancelPatch, isRunEnded, isRunUnderWay } from "../../kinds/index.ts";
import { resourceOf } from "../../kube/index.ts";
import { openCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { chosenBackups } from "./get.ts";

const backups = resourceOf(kinds.Backup);

/** Asks the operator to delete backups with all they stored. */
export async function deleteBackups(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const ways = [input.args.length > 0, given(input, "all"), text(input, "selector") !== undefined];
  if (ways.filter(Boolean).length !== 1) {
    throw new AppError("USAGE", "which backups? names, --selector or --all, one of them", { retry: false });
  }
  const cluster = await openCluster(input, io);
  try {
    const doomed = await chosenBackups(cluster, input, signal);
    const busy = doomed.find(({ status }) => isRunUnderWay(status?.phase));
    if (busy) {
      const { name } = busy.metadata;
      throw new AppError(
        "USAGE",
        `backup "${name}" is in progress: \`headway backup cancel ${name}\` stops it first`,
        {
          retry: false,
        },
      );
    }
    if (!given(input, "confirm") && !(await confirmed(doomed, io))) return;
    for (const backup of doomed) {
      await cluster.client.create(resourceOf(kinds.DeleteBackupRequest), deleteRequest(backup), {}, signal);
      io.err(`the deletion of backup "${backup.metadata.name}" was requested\n`);
    }
  } finally {
    cluster.client.close();
  }
}

/** Asks a backup to stop. */
export async function cancelBackup(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const { client, namespace } = await openCluster(input, io);
  const [name = ""] = input.args;
  try {
    const { status } = await client.get<Backup>(backups, name, { namespace }, signal);
    const phase = status?.phase || "New";
    if (isRunEnded(status)) {
      throw new AppError("USAGE", `backup "${name}" has ended as ${phase}: there is nothing to cancel`, {
        retry: false,
      });
    }
    const body = cancelPatch("Backup");
    await client.patch(backups, name, { type: "merge", body }, { namespace }, signal);
    io.err(`backup "${name}" was asked to stop\n`);
  } finally {
    client.close();
  }
}

async function confirmed(doomed: readonly Backup[], io: Io): Promise<boolean> {
  if (!io.terminal)
    throw new AppError("USAGE", "nobody can be asked here: --confirm deletes without asking", {
      retry: false,
    });
  const names = doomed.map(({ metadata }) => metadata.name).join(", ");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`Delete ${names} with all they stored? (y/N) `)).trim());
  } finally {
    lines.close();
  }
}
