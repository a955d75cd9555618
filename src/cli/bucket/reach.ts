import { type Code, isCode } from "../../errors.ts";
import type { Io } from "../io.ts";

/** The bucket itself is not to be had: whatever the check would say of it, this says nothing about its backups. */
const away: readonly Code[] = [
  "STORE_CONFIG",
  "STORE_DENIED",
  "STORE_FAILED",
  "STORE_MISSING",
  "STORE_REPLACED",
  "STORE_UNREACHABLE",
];

/** The exit code of a command on a bucket: 3 when the bucket cannot be reached or opened. */
export async function reachable(io: Io, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const code = away.find((one) => isCode(error, one));
    if (code === undefined || !(error instanceof Error)) throw error;
    io.err(`headway: ${error.message}\n`);
    return 3;
  }
}
