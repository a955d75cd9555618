import { type FileHandle, open, readFile, stat } from "node:fs/promises";
import { AppError } from "../errors.ts";

const chunkBytes = 1024 * 1024;

/** The size of a device, or of a file that stands for one. */
export async function deviceBytes(path: string): Promise<number> {
  const facts = await stat(path).catch((cause: unknown) => {
    throw new AppError("MOVER_PATH", `there is no device "${path}"`, { cause });
  });
  if (facts.isFile()) return facts.size;
  if (!facts.isBlockDevice()) throw new AppError("MOVER_PATH", `"${path}" is not a device`);
  const place = `/sys/dev/block/${majorOf(facts.rdev)}:${minorOf(facts.rdev)}/size`;
  const sectors = Number((await readFile(place, "utf8")).trim());
  if (Number.isSafeInteger(sectors) && sectors >= 0) return sectors * 512;
  throw new AppError("MOVER_PATH", `the size of the device "${path}" cannot be read in "${place}"`);
}

/** The bytes of a device from its beginning, one megabyte at a time; what it says of a read that failed is told. */
export async function* readDevice(path: string, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  await using device = await opened(path, "r");
  for (let at = 0; ; ) {
    // Each piece has memory of its own: the one before may still be on its way.
    const { bytesRead, buffer } = await device.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
    onRead(at);
  }
}

/** Writes a device from its beginning. */
export class DeviceWriter {
  readonly #device: FileHandle;
  #at = 0;

  private constructor(device: FileHandle) {
    this.#device = device;
  }

  static async open(path: string): Promise<DeviceWriter> {
    return new DeviceWriter(await opened(path, "r+"));
  }

  /** How much was written. */
  get bytes(): number {
    return this.#at;
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let from = 0; from < chunk.length; ) {
      const { bytesWritten } = await this.#device.write(chunk, from, chunk.length - from, this.#at);
      from += bytesWritten;
      this.#at += bytesWritten;
    }
  }

  /** Nothing is in the system's memory alone any more. */
  sync(): Promise<void> {
    return this.#device.sync();
  }

  close(): Promise<void> {
    return this.#device.close();
  }
}

async function opened(path: string, how: "r" | "r+"): Promise<FileHandle> {
  try {
    return await open(path, how);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException; // of the system
    const hint = code === "EPERM" || code === "EACCES" ? "; devices need an agent that is privileged" : "";
    const words = cause instanceof Error ? cause.message : String(cause);
    throw new AppError("MOVER_PATH", `the device "${path}" cannot be opened: ${words}${hint}`, {
      cause,
      retry: false,
    });
  }
}

/** A device number as Linux packs it into 64 bits. */
export function majorOf(rdev: number): number {
  return Number((BigInt(rdev) >> 8n) & 0xfffn) + Number((BigInt(rdev) >> 32n) & 0xfffff000n);
}

/** The other half of a device number. */
export function minorOf(rdev: number): number {
  return Number(BigInt(rdev) & 0xffn) + Number((BigInt(rdev) >> 12n) & 0xffffff00n);
}
