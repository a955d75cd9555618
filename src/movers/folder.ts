import { stat } from "node:fs/promises";
import { AppError } from "../errors.ts";

/** Refuses what is no folder. As a working directory it would be told as a missing program: both are ENOENT. */
export async function checkFolder(path: string): Promise<void> {
  const facts = await stat(path).catch((cause: unknown) => {
    throw new AppError("MOVER_PATH", `there is no folder "${path}"`, { cause });
  });
  if (!facts.isDirectory()) throw new AppError("MOVER_PATH", `"${path}" is not a folder`);
}
