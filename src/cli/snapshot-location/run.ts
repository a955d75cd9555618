import { kinds, type VolumeSnapshotLocation } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { resourceOf } from "../../kube/index.ts";
import { pairsOf } from "../backup/spec.ts";
import { withCluster } from "../cluster.ts";
import { type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { makeOrShow } from "../make.ts";
import { type ListStyle, printObjects } from "../objects.ts";
import { table } from "../render/table.ts";

const locations = resourceOf(kinds.VolumeSnapshotLocation);

/** Adds a location, or prints it with `-o`. */
export async function createLocation(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [name = ""] = input.args;
  await withCluster(input, io, async ({ client, namespace }) => {
    const location = {
      apiVersion: "velero.io/v1",
      kind: "VolumeSnapshotLocation",
      metadata: { name, namespace },
      spec: { provider: text(input, "provider"), ...settingsOf(input) },
    };
    const make = (options: { readonly dryRun: boolean }) =>
      client.create(locations, location, options, signal);
    if (await makeOrShow([location], locations, { input, io }, make))
      io.err(`snapshot location "${name}" was created\n`);
  });
}

/** Lists locations. */
export async function getLocations(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async ({ client, namespace }) => {
    const all = await client.list<VolumeSnapshotLocation>(locations, { namespace }, signal);
    const { args } = input;
    const missing = args.find((name) => !all.some(({ metadata }) => metadata.name === name));
    if (missing !== undefined) {
      throw new AppError("USAGE", `there is no snapshot location "${missing}"`, { retry: false });
    }
    const found = args.length === 0 ? all : all.filter(({ metadata }) => args.includes(metadata.name));
    await printObjects(found, locations, { input, io }, locationTable);
  });
}

/** The table of `snapshot-location get`. */
export function locationTable(
  found: readonly VolumeSnapshotLocation[],
  { columns }: Pick<ListStyle, "columns"> = {},
): string {
  const words = (config: Readonly<Record<string, string>> | undefined) =>
    Object.entries(config ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .join(",");
  return table(
    ["NAME", "PROVIDER", "CONFIG"],
    found.map(({ metadata, spec }) => [metadata.name, spec?.provider ?? "", words(spec?.config)]),
    { columns },
  );
}

/** Changes a location. */
export async function setLocation(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [name = ""] = input.args;
  await withCluster(input, io, async ({ client, namespace }) => {
    const body = { spec: settingsOf(input) };
    await client.patch(locations, name, { type: "merge", body }, { namespace }, signal);
    io.err(`snapshot location "${name}" was changed\n`);
  });
}

/** Removes locations from the cluster. */
export async function deleteLocations(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async ({ client, namespace }) => {
    for (const name of input.args) {
      await client.delete(locations, name, { namespace }, signal);
      io.err(`snapshot location "${name}" was deleted; its snapshots stay\n`);
    }
  });
}

function settingsOf(input: Input) {
  const given = text(input, "credential");
  const [name, key, more] = given?.split("=") ?? [];
  if (given !== undefined && (!name || !key || more !== undefined)) {
    throw new AppError("USAGE", `--credential takes secret=key, not "${given}"`, { retry: false });
  }
  const config = pairsOf(input, "config");
  return {
    ...(Object.keys(config).length > 0 && { config }),
    ...(name && { credential: { name, key } }),
  };
}
