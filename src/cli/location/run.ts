import { type BackupStorageLocation, kinds, veleroNames } from "../../api/index.ts";
import { adoptAnnotation, forgetAnnotation } from "../../engines/backup/index.ts";
import { AppError } from "../../errors.ts";
import { labelValue, resourceOf } from "../../kube/index.ts";
import { checkDurations, pairsOf } from "../backup/spec.ts";
import { moment } from "../backup/words.ts";
import { withCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import { givenFile } from "../given-file.ts";
import type { Io } from "../io.ts";
import { makeOrShow } from "../make.ts";
import { chosenObjects, type ListStyle, printObjects } from "../objects.ts";
import { table } from "../render/table.ts";

const locations = resourceOf(kinds.BackupStorageLocation);
const backups = resourceOf(kinds.Backup);
const repositories = resourceOf(kinds.BackupRepository);

/** Adds a location, or prints it with `-o`. */
export async function createLocation(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [name = ""] = input.args;
  await withCluster(input, io, async ({ client, namespace }) => {
    const { objectStorage, ...more } = await settingsOf(input);
    const config = pairsOf(input, "config");
    checkDurations(input, "backup-sync-period", "validation-frequency");
    const location = {
      apiVersion: "velero.io/v1",
      kind: "BackupStorageLocation",
      metadata: { name, namespace },
      spec: {
        provider: text(input, "provider"),
        objectStorage: {
          bucket: bucketOf(input),
          ...(text(input, "prefix") && { prefix: text(input, "prefix") }),
          ...objectStorage,
        },
        ...(Object.keys(config).length > 0 && { config }),
        ...(text(input, "access-mode") && { accessMode: text(input, "access-mode") }),
        ...(text(input, "backup-sync-period") && { backupSyncPeriod: text(input, "backup-sync-period") }),
        ...(text(input, "validation-frequency") && {
          validationFrequency: text(input, "validation-frequency"),
        }),
        ...more,
      },
    };
    const make = (options: { readonly dryRun: boolean }) =>
      client.create(locations, location, options, signal);
    if (await makeOrShow([location], locations, { input, io }, make))
      io.err(`location "${name}" was created\n`);
  });
}

/** The bucket; a folder of backups needs no name of its own. */
export function bucketOf(input: Input): string {
  const provider = text(input, "provider") ?? "";
  const bucket = text(input, "bucket") ?? (provider === "filesystem" ? "backups" : undefined);
  if (bucket !== undefined) return bucket;
  throw new AppError("USAGE", `provider "${provider}" needs --bucket`, { retry: false });
}

/** Lists locations. */
export async function getLocations(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async (cluster) => {
    const found = await chosenObjects<BackupStorageLocation>(cluster, locations, input, signal);
    await printObjects(found, locations, { input, io }, locationTable);
    if (text(input, "output") === undefined) io.err(locationTroubles(found));
  });
}

/** The table of `location get`, with upstream's columns. */
export function locationTable(
  found: readonly BackupStorageLocation[],
  { columns }: Pick<ListStyle, "columns"> = {},
): string {
  return table(
    ["NAME", "PROVIDER", "BUCKET/PREFIX", "PHASE", "LAST VALIDATED", "ACCESS MODE", "DEFAULT"],
    found.map(({ metadata, spec, status }) => {
      const { bucket = "", prefix } = spec?.objectStorage ?? {};
      return [
        metadata.name,
        spec?.provider ?? "",
        prefix ? `${bucket}/${prefix}` : bucket,
        status?.phase ?? "Unknown",
        status?.lastValidationTime ? moment(status.lastValidationTime) : "Unknown",
        spec?.accessMode || "ReadWrite",
        spec?.default ? "true" : "",
      ];
    }),
    { columns },
  );
}

/** Why locations cannot be used, or what else is to be said of them: upstream's columns have no place for it. */
export function locationTroubles(found: readonly BackupStorageLocation[]): string {
  return found
    .filter(({ status }) => status?.message)
    .map(({ metadata, status }) => {
      const is = status?.phase === "Unavailable" ? " is unavailable" : "";
      return `location "${metadata.name}"${is}: ${status?.message}\n`;
    })
    .join("");
}

/** Changes a location. The operator unmarks the former default. */
export async function setLocation(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [name = ""] = input.args;
  await withCluster(input, io, async ({ client, namespace }) => {
    const spec = await settingsOf(input);
    await client.patch(locations, name, { type: "merge", body: { spec } }, { namespace }, signal);
    io.err(`location "${name}" was changed\n`);
  });
}

/**
 * Removes locations from the cluster, and with each the Backup and BackupRepository objects that say they are in it, as upstream
 * does: nothing would keep them true any more. What the stores hold stays, and comes back with a location for the same place.
 */
export async function deleteLocations(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async ({ client, namespace }) => {
    for (const name of input.args) {
      await client.delete(locations, name, { namespace }, signal);
      const labelSelector = `${veleroNames.storageLocation}=${labelValue(name)}`;
      let counted = "";
      for (const resource of [backups, repositories]) {
        const found = await client.list(resource, { namespace, labelSelector }, signal);
        await client.deleteAll(resource, { namespace, labelSelector }, {}, signal);
        counted += ` and ${found.length} ${resource.kind} object${found.length === 1 ? "" : "s"} of it`;
      }
      io.err(`location "${name}"${counted} were deleted; what its store holds stays\n`);
    }
  });
}

/** Says that the store of a location is the right one, whatever it holds. */
export async function adoptLocation(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await note(input, io, adoptAnnotation, signal);
  io.err(`location "${input.args[0]}" takes the store that is there now (see: headway location get)\n`);
}

/** Says that Backups whose files are gone may go. */
export async function forgetMissing(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await note(input, io, forgetAnnotation, signal);
  io.err(
    `Backup objects of location "${input.args[0]}" go when their files are missed for the second time\n`,
  );
}

async function note(input: Input, io: Io, annotation: string, signal: AbortSignal): Promise<void> {
  const [name = ""] = input.args;
  await withCluster(input, io, async ({ client, namespace }) => {
    const body = { metadata: { annotations: { [annotation]: "true" } } };
    await client.patch(locations, name, { type: "merge", body }, { namespace }, signal);
  });
}

async function settingsOf(input: Input) {
  const [secret, key, more] = text(input, "credential")?.split("=") ?? [];
  if (secret !== undefined && (!secret || !key || more !== undefined)) {
    throw new AppError("USAGE", `--credential takes secret=key, not "${text(input, "credential")}"`, {
      retry: false,
    });
  }
  const file = text(input, "cacert");
  return {
    ...(file && { objectStorage: { caCert: (await givenFile("cacert", file)).toString("base64") } }),
    ...(secret && { credential: { name: secret, key } }),
    ...(given(input, "default") && { default: true }),
  };
}
