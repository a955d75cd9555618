import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { PluginProgress } from "../contract.ts";

/** What is written down of a snapshot or of a volume that is filled, so that another process can go on. */
export interface WorkRecord {
  readonly version: 1;
  /** The folder that is read, and the one that is written. */
  readonly from: string;
  readonly to: string;
  readonly phase: PluginProgress["phase"];
  readonly totalBytes?: number;
  readonly message?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

/** Writes a record whole. */
export async function writeRecord(file: string, record: WorkRecord): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Reads a record; undefined when there is none. */
export async function readRecord(file: string): Promise<WorkRecord | undefined> {
  try {
    const record = JSON.parse(await readFile(file, "utf8")) as WorkRecord; // written by ourselves, looked at in the next line
    if (record.version !== 1 || typeof record.from !== "string" || typeof record.to !== "string") {
      throw new Error(`"${file}" is of another version`);
    }
    return record;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
