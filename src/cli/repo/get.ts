import { type BackupRepository, parseTimeMs, veleroPhaseOf } from "../../api/index.ts";
import { resources } from "../../engines/podvolume/index.ts";
import { formatDuration } from "../../progress/index.ts";
import { openCluster } from "../cluster.ts";
import { type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { structured } from "../render/structured.ts";
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
    io.out(await print(all, text(input, "output"), Date.now()));
    if (all.length === 0 && io.terminal) io.err("no repositories\n");
  } finally {
    client.close();
  }
}

async function print(
  all: readonly BackupRepository[],
  format: string | undefined,
  nowMs: number,
): Promise<string> {
  switch (format) {
    case "json":
    case "yaml":
      return structured(all, format);
    case "name":
      return all.map(({ metadata }) => `backuprepository.velero.io/${metadata.name}\n`).join("");
    default:
      return repositoryTable(all, nowMs, format === "wide");
  }
}

/** One line a repository; the message only when there is room. */
export function repositoryTable(all: readonly BackupRepository[], nowMs: number, wide: boolean): string {
  const rows = all.map(({ metadata, spec, status }) => {
    const maintained = parseTimeMs(status?.lastMaintenanceTime);
    const last = maintained === undefined ? "never" : `${formatDuration((nowMs - maintained) / 1000)} ago`;
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
  return table(shown, rows);
}
