import { type Backup, kinds, type Schedule } from "../../api/index.ts";
import { backupNameOf } from "../../engines/backup/index.ts";
import { AppError } from "../../errors.ts";
import { builtIn, resourceOf } from "../../kube/index.ts";
import { openCluster } from "../cluster.ts";
import { given, type Input, text, texts } from "../command.ts";
import type { Io } from "../io.ts";
import { demandNamed, isPrinted, makeOrShow, type Named } from "../make.ts";
import { backupSpecOf, pairsOf } from "./spec.ts";

const backups = resourceOf(kinds.Backup);
const schedules = resourceOf(kinds.Schedule);

/** Makes a Backup from the flags, or prints it with `-o`; `--wait` stays until it has ended. */
export async function createBackup(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const { client, namespace } = await openCluster(input, io);
  try {
    const from = text(input, "from-schedule");
    const named = { word: "schedule", resource: schedules, name: from };
    if (!isPrinted(input)) await demandNamed(client, namespace, [named], signal);
    const schedule = from ? await client.get<Schedule>(schedules, from, { namespace }, signal) : undefined;
    const name = input.args[0] ?? (schedule && backupNameOf(schedule.metadata.name, Date.now()));
    if (!name) throw new AppError("USAGE", "a backup needs a name, or --from-schedule", { retry: false });
    const backup = {
      apiVersion: "velero.io/v1",
      kind: "Backup",
      ...contents(input, schedule, name, namespace),
    };
    if (!isPrinted(input)) await demandNamed(client, namespace, namedBy(input), signal);
    const make = (options: { readonly dryRun: boolean }) =>
      client.create<Backup>(backups, backup, options, signal);
    if (!(await makeOrShow([backup], backups, { input, io }, make))) return 0;
    io.err(`backup "${name}" was requested\n`);
    if (given(input, "wait")) {
      const { waitForEnd } = await import("../watch/wait.ts");
      return await waitForEnd({ kind: "backup", namespace, name }, input, io, signal);
    }
    io.err(`\`headway backup describe ${name}\` and \`headway backup logs ${name}\` tell more\n`);
    return 0;
  } finally {
    client.close();
  }
}

/** What the flags of a backup name. */
export function namedBy(input: Input): readonly Named[] {
  const locations = resourceOf(kinds.BackupStorageLocation);
  const snapshotLocations = resourceOf(kinds.VolumeSnapshotLocation);
  return [
    { word: "storage location", resource: locations, name: text(input, "storage-location") },
    ...texts(input, "volume-snapshot-locations").map((name) => ({
      word: "snapshot location",
      resource: snapshotLocations,
      name,
    })),
    {
      word: "ConfigMap",
      resource: builtIn.configMaps,
      name: text(input, "resource-policies-configmap"),
    },
  ];
}

function contents(input: Input, schedule: Schedule | undefined, name: string, namespace: string) {
  const labels = {
    ...(schedule?.spec?.template.metadata?.labels ?? schedule?.metadata.labels),
    ...(schedule && { "velero.io/schedule-name": schedule.metadata.name }),
    ...pairsOf(input, "labels"),
  };
  const annotations = pairsOf(input, "annotations");
  const { metadata: _template, ...template } = schedule?.spec?.template ?? {};
  return {
    metadata: {
      name,
      namespace,
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: { ...template, ...backupSpecOf(input) },
  };
}
