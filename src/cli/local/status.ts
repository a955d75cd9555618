import type { Io } from "../io.ts";
import { findRunning, stateFolder } from "./run-file.ts";

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
    for (const { context, url, node, hostPods } of running.clusters) {
      io.out(`context ${context}: ${url}, node ${node}, pods in ${hostPods}\n`);
    }
  } else io.out(`not running (state ${folder})\n`);
  return running ? 0 : 1;
}
