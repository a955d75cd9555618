import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { startAgent } from "../../agent/index.ts";
import { moverFinder } from "../../engines/podvolume/index.ts";
import { AppError } from "../../errors.ts";
import { systemClock } from "../../kube/index.ts";
import { moverFolders } from "../../movers/index.ts";
import { openCluster } from "../cluster.ts";
import { type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { jsonLog } from "../log.ts";

/** Runs the agent with the flags of the command line; one JSON line a message on standard error. */
export async function runAgent(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const node = text(input, "node") ?? io.env["NODE_NAME"];
  if (!node) throw usage("--node is missing, and NODE_NAME is not set");
  const hostPods = resolve(text(input, "host-pods") ?? "");
  const facts = await stat(hostPods).catch(() => undefined); // told in the next line
  if (!facts?.isDirectory()) throw usage(`--host-pods must be a folder, and "${hostPods}" is none`);
  const concurrency = text(input, "concurrency") ?? "2";
  if (!/^[1-9]\d{0,2}$/.test(concurrency)) {
    throw usage(`--concurrency takes a number from 1 to 999, not "${concurrency}"`);
  }
  const stateDir = resolve(text(input, "state-dir") ?? "");
  const { client, namespace } = await openCluster(input, io);
  // Movers of an earlier life are known by it: the same folder, the same agent.
  const owner = `agent:${stateDir}`;
  try {
    await startAgent(
      {
        client,
        namespace,
        node,
        hostPods,
        concurrency: Number(concurrency),
        owner,
        mover: moverFinder({ scratch: stateDir, owner, folders: moverFolders({ ...io.env }) }),
        clock: systemClock,
        log: jsonLog(io),
      },
      signal,
    );
  } finally {
    client.close();
  }
}

function usage(message: string): AppError {
  return new AppError("USAGE", message, { retry: false });
}
