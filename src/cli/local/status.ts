import type { Io } from "../io.ts";
import { findRunning, startedAt, stateFolder } from "./run-file.ts";

/** Tells what runs; exit code 1 when nothing does. */
export async function status(
  options: { readonly folder?: string; readonly format?: string },
  io: Io,
): Promise<number> {
  const folder = stateFolder(options.folder, io);
  const running = findRunning(folder);
  if (options.format !== undefined) {
    const { structured } = await import("../render/structured.ts");
    io.out(await structured({ state: folder, running: running !== undefined, ...running }, options.format));
  } else if (running) {
    io.out(`running, process ${running.pid}, kubeconfig ${running.kubeconfig}\n`);
    for (const { context, url, node, hostPods, server } of running.clusters) {
      io.out(`context ${context}: ${url}, node ${node}, pods in ${hostPods}\n`);
      if (server) io.out(`  server in namespace ${server.namespace}, logs and backups in ${server.folder}\n`);
    }
    for (const { name, context, pid, started } of running.programs ?? []) {
      const isThere = startedAt(pid) === started;
      io.out(`  ${name} of ${context}: ${isThere ? `process ${pid}` : "ended; its log says why"}\n`);
    }
  } else io.out(`not running (state ${folder})\n`);
  return running ? 0 : 1;
}
