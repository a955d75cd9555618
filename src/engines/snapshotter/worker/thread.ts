import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { Snapshotters, VolumeSnapshotter } from "../contract.ts";
import { type Ask, type Method, methods, type Say, type ThreadData } from "./protocol.ts";

/** Calls under way, so that one can be given up; bounded by the calls that the other side waits for. */
const running = new Map<number, AbortController>();

async function open(port: MessagePort, data: ThreadData): Promise<void> {
  const say = (words: Say) => port.postMessage(words);
  try {
    const module = (await import(data.module)) as { snapshotters?: Snapshotters }; // looked at in the next lines
    const all = module.snapshotters;
    if (typeof all !== "object" || all === null) return say({ unready: "it exports no snapshotters" });
    const names = Object.keys(all);
    if (data.plugin === undefined) return say({ ready: { names, methods: [] } });
    const factory = Object.hasOwn(all, data.plugin) ? all[data.plugin] : undefined;
    if (typeof factory !== "function") return say({ unready: `it has no plugin "${data.plugin}"` });
    const plugin = await factory({
      name: data.plugin,
      namespace: data.namespace,
      ...(data.kubeconfig !== undefined && { kubeconfig: data.kubeconfig }),
      log: (level, message) => say({ log: level, message }),
    });
    port.on("message", (ask: Ask) => void answer(plugin, ask, say));
    const has = methods.filter((method) => typeof plugin[method] === "function");
    say({ ready: { names, methods: has } });
  } catch (error) {
    say({ unready: words(error) });
  }
}

async function answer(plugin: VolumeSnapshotter, ask: Ask, say: (words: Say) => void): Promise<void> {
  if ("cancel" in ask) return running.get(ask.cancel)?.abort();
  const stop = new AbortController();
  running.set(ask.id, stop);
  try {
    const method = plugin[ask.method as Method] as (...args: unknown[]) => unknown; // the other side asks for known ones
    say({ id: ask.id, value: await method.call(plugin, ...ask.args, stop.signal) });
  } catch (error) {
    say({ id: ask.id, error: words(error) });
  } finally {
    running.delete(ask.id);
  }
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

if (parentPort) await open(parentPort, workerData as ThreadData); // the host starts it with that
