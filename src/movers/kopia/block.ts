import { AppError } from "../../errors.ts";
import { DeviceWriter, deviceBytes, readDevice } from "../device.ts";
import type { BackupRequest, RestoreRequest } from "../mover.ts";
import type { Program } from "../program.ts";
import { manifestArgs, objectArgs } from "./args.ts";
import { parseDevice, parseManifest } from "./parse.ts";

/** What a backup of a device is fed with; progress is what was read, since kopia cannot know the size of what it is fed. */
export async function deviceInput({ path, onProgress }: BackupRequest): Promise<{
  readonly totalBytes: number;
  readonly input: AsyncIterable<Uint8Array>;
}> {
  const totalBytes = await deviceBytes(path);
  const told = (done: number) =>
    onProgress?.({ unit: "bytes", done, ...(totalBytes > 0 && { total: totalBytes }) });
  return { totalBytes, input: readDevice(path, told) };
}

/** Writes the one object of a device's snapshot to a device, whoever stored it. */
export async function restoreDevice(
  program: Program,
  request: RestoreRequest,
  signal?: AbortSignal,
): Promise<number> {
  const { repository, snapshotId, path, onProgress, onLook } = request;
  const { object, bytes: total } = await deviceObject(program, request, signal);
  const room = await deviceBytes(path);
  if (room < total) {
    const what = `the device "${path}" has ${room} bytes, and the snapshot ${snapshotId} needs ${total}`;
    throw new AppError("MOVER_SPACE", what, { retry: false });
  }
  const device = await DeviceWriter.open(path);
  try {
    const run = await program.prepared(repository, objectArgs(object), signal);
    const onData = async (chunk: Uint8Array) => {
      await device.write(chunk);
      onProgress?.({ unit: "bytes", done: device.bytes, ...(total > 0 && { total }) });
    };
    const end = await program.ended({ ...run, onData, onLook }, signal);
    if (end.exitCode !== 0) throw program.failed(repository, `restore ${snapshotId} to "${path}"`, end);
    if (device.bytes !== total) {
      const what = `kopia ended well, but gave ${device.bytes} of the ${total} bytes of ${snapshotId}`;
      throw new AppError("VOLUME_INCOMPLETE", what);
    }
    await device.sync();
  } finally {
    await device.close();
  }
  return total;
}

/** The object that holds a device's bytes: the only file of the snapshot, under whatever name. */
async function deviceObject(
  { ask }: Program,
  { repository, snapshotId }: RestoreRequest,
  signal?: AbortSignal,
): Promise<{ readonly object: string; readonly bytes: number }> {
  const manifest = parseManifest(
    await ask(repository, `read ${snapshotId}`, manifestArgs(snapshotId), signal),
  );
  const folder = manifest && (await ask(repository, `read ${snapshotId}`, objectArgs(manifest.root), signal));
  const object = folder === undefined ? undefined : parseDevice(folder);
  if (manifest !== undefined && object !== undefined) return { object, bytes: manifest.bytes };
  throw new AppError("MOVER_SNAPSHOT", `${snapshotId} is not the snapshot of a device`, { retry: false });
}
