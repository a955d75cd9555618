import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findMovers, makeMover, moverFolders, readTask, runTask } from "../../movers/index.ts";
import type { Io } from "../io.ts";

/** What the caches of one task may take: a pod has little room of its own. */
const cacheBytes = 500_000_000;

/** Does the task of HEADWAY_TASK, with the movers of this image. */
export async function runDataTask(io: Io, signal: AbortSignal): Promise<void> {
  const task = readTask(io.env["HEADWAY_TASK"]);
  const scratch = await mkdtemp(join(tmpdir(), "headway-task-"));
  try {
    const setting = {
      mover: (kind: Parameters<typeof makeMover>[0]) => {
        const [program] = findMovers(kind, moverFolders(io.env));
        return program === undefined ? undefined : makeMover(kind, { program, scratch, cacheBytes });
      },
      print: (line: string) => io.out(`${line}\n`),
      now: () => performance.now(),
    };
    await runTask(task, setting, signal);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
