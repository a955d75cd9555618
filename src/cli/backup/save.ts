import { open, rm } from "node:fs/promises";
import { AppError } from "../../errors.ts";

/** Writes a file of the person's own; one that exists only with `force`, and none that is not whole stays. */
export async function saved(
  path: string,
  force: boolean,
  write: (onData: (chunk: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<void> {
  const file = await open(path, force ? "w" : "wx", 0o600).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw new AppError("USAGE", `"${path}" exists; --force overwrites it`, { cause: error, retry: false });
    }
    throw error;
  });
  try {
    await write((chunk) => file.writeFile(chunk));
    await file.close();
  } catch (error) {
    await file.close().catch(() => undefined); // the first failure is told
    await rm(path, { force: true });
    throw error;
  }
}
