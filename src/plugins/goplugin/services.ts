import { AppError, messageOf } from "../../errors.ts";
import type { PersistentVolume, VolumeSnapshotter } from "../contract.ts";
import type { GrpcConnection } from "./grpc.ts";
import { bytesOf, intOf, type Message, MessageWriter, messagesOf, readMessage, textOf } from "./protobuf.ts";

/** A plugin that a program offers. */
export interface Offered {
  readonly kind: string;
  readonly name: string;
}

/** What a program offers. */
export async function listOffered(
  connection: GrpcConnection,
  signal: AbortSignal,
): Promise<readonly Offered[]> {
  const answer = await connection.unary("/generated.PluginLister/ListPlugins", new Uint8Array(), signal);
  return messagesOf(readMessage(answer), 1).map((one) => ({ kind: textOf(one, 2), name: textOf(one, 3) }));
}

/** Tells an object store of a program its settings. */
export async function initStore(
  connection: GrpcConnection,
  name: string,
  config: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const request = new MessageWriter().text(1, name).map(2, config).done();
  try {
    await connection.unary("/generated.ObjectStore/Init", request, signal);
  } catch (error) {
    signal.throwIfAborted();
    const why = messageOf(error);
    throw new AppError("PLUGIN_FAILED", `init of plugin "${name}" failed: ${why}`, { cause: error });
  }
}

/** A volume snapshotter of a program. The protocol has no question for progress, so it has none. */
export function programSnapshotter(connection: GrpcConnection, name: string): VolumeSnapshotter {
  const call = async (rpc: string, request: MessageWriter, signal: AbortSignal): Promise<Message> => {
    const path = `/generated.VolumeSnapshotter/${rpc}`;
    return readMessage(await connection.unary(path, request.done(), signal));
  };
  const ask = () => new MessageWriter().text(1, name);
  return {
    async init(config, signal) {
      await call("Init", ask().map(2, config), signal);
    },
    async getVolumeID(volume, signal) {
      return textOf(await call("GetVolumeID", ask().bytes(2, written(volume)), signal), 1);
    },
    async setVolumeID(volume, volumeID, signal) {
      const answer = await call("SetVolumeID", ask().bytes(2, written(volume)).text(3, volumeID), signal);
      return readVolume(bytesOf(answer, 1), name);
    },
    async getVolumeInfo({ volumeID, volumeAZ }, signal) {
      const answer = await call("GetVolumeInfo", ask().text(2, volumeID).text(3, volumeAZ), signal);
      const iops = Number(intOf(answer, 2));
      return { type: textOf(answer, 1), ...(iops !== 0 && { iops }) };
    },
    async createSnapshot({ volumeID, volumeAZ, tags }, signal) {
      const request = ask().text(2, volumeID).text(3, volumeAZ).map(4, tags);
      return textOf(await call("CreateSnapshot", request, signal), 1);
    },
    async createVolumeFromSnapshot({ snapshotID, volumeType, volumeAZ, iops = 0 }, signal) {
      const request = ask().text(2, snapshotID).text(3, volumeType).text(4, volumeAZ).int(5, iops);
      return textOf(await call("CreateVolumeFromSnapshot", request, signal), 1);
    },
    async deleteSnapshot(snapshotID, signal) {
      await call("DeleteSnapshot", ask().text(2, snapshotID), signal);
    },
  };
}

function written(volume: PersistentVolume): Uint8Array {
  return Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "PersistentVolume", ...volume }));
}

function readVolume(bytes: Uint8Array, plugin: string): PersistentVolume {
  try {
    const volume: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    if (typeof volume === "object" && volume !== null) return volume as PersistentVolume; // its fields are looked at where they are used
  } catch {
    // told below
  }
  throw new AppError(
    "PLUGIN_FAILED",
    `setVolumeID of plugin "${plugin}" gave back something that is no object`,
  );
}
