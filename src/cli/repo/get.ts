import { type BackupRepository, parseTimeMs, veleroPhaseOf } from "../../api/index.ts";
import { resources } from "../../engines/podvolume/index.ts";
import { age } from "../backup/words.ts";
import { openCluster } from "../cluster.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";
import { type ListStyle, printObjects } from "../objects.ts";
import { table } from "../render/table.ts";

/** Prints the repositories that the cluster knows. */
export async function getRepositories(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const { client, namespace } = await openCluster(input, io);
  try {
    const all =
      input.args.length > 0
        ? await Promise.all(
            input.args.map((name) =>
              client.get<BackupRepository>(resources.repositories, name, { namespace }, signal),
            ),
          )
        : await client.list<BackupRepository>(resources.repositories, { namespace }, signal);
    await printObjects(all, resources.repositories, { input, io }, (found, style) =>
      repositoryTable(found, Date.now(), style),
    );
  } finally {
    client.close();
  }
}

/** One line a repository; the message only when there is room. */
export function repositoryTable(
  all: readonly BackupRepository[],
  nowMs: number,
  { wide, columns }: ListStyle,
): string {
  const rows = all.map(({ metadata, spec, status }) => {
    const maintained = parseTimeMs(status?.lastMaintenanceTime);
    const last = maintained === undefined ? "never" : `${age(nowMs - maintained)} ago`;
    return [
      metadata.name,
      veleroPhaseOf(status),
      spec?.volumeNamespace ?? "",
      spec?.backupStorageLocation ?? "",
      spec?.repositoryType || "restic",
      last,
      status?.message ?? "",
    ];
  });
  const headings = ["NAME", "STATUS", "NAMESPACE", "LOCATION", "TYPE", "LAST MAINTENANCE", "MESSAGE"];
  const shown = wide ? headings : headings.slice(0, -1);
  return table(shown, rows, { columns });
}
