import { createRequire } from "node:module";
import { isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { AppError, messageOf } from "../../errors.ts";
import type { Clock, Log } from "../../kube/index.ts";
import type { ActionCalls } from "../actions/calls.ts";
import type { VolumeSnapshotter } from "../contract.ts";
import { within } from "../guard.ts";
import { LogTap } from "../log-tap.ts";
import type { Life } from "../revive.ts";
import {
  type Ask,
  actionMethods,
  type Offer,
  requiredMethods,
  type Say,
  snapshotterMethods,
  type ThreadData,
} from "./protocol.ts";

/** What loading a module needs. */
export interface ModuleOptions {
  /** A path, or the name of a package. */
  readonly module: string;
  readonly namespace: string;
  readonly kubeconfig?: string | undefined;
  readonly log: Log;
  readonly clock: Clock;
  readonly startMs: number;
}

/** The plugins of a module. */
export async function listModule(options: ModuleOptions, signal: AbortSignal): Promise<readonly Offer[]> {
  const thread = new Thread(options, undefined);
  try {
    return (await thread.ready(signal)).offers;
  } finally {
    await thread.close();
  }
}

/** Opens a plugin of a module in a thread of its own: what hangs, throws or exits there does not take us along. */
export async function openModule(
  options: ModuleOptions,
  plugin: string,
  signal: AbortSignal,
): Promise<Life<VolumeSnapshotter>> {
  const { thread, methods } = await opened(options, { kind: "VolumeSnapshotter", name: plugin }, signal);
  const missing = requiredMethods.filter((method) => !methods.includes(method));
  if (missing.length > 0) {
    await thread.close();
    throw new AppError("PLUGIN_FAILED", `plugin "${plugin}" has no ${missing.join(", ")}`, { retry: false });
  }
  const has = snapshotterMethods.filter((method) => methods.includes(method));
  return lifeOf(thread, proxy(thread, has) as unknown as VolumeSnapshotter); // the required ones are there
}

/** Opens an item action of a module, likewise. */
export async function openModuleAction(
  options: ModuleOptions,
  plugin: Offer,
  signal: AbortSignal,
): Promise<Life<ActionCalls>> {
  const { thread } = await opened(options, plugin, signal);
  return lifeOf(thread, proxy(thread, actionMethods) as unknown as ActionCalls); // the thread answers all of them
}

async function opened(options: ModuleOptions, plugin: Offer, signal: AbortSignal) {
  const thread = new Thread(options, plugin);
  try {
    return { thread, methods: (await thread.ready(signal)).methods };
  } catch (error) {
    await thread.close();
    throw error;
  }
}

function lifeOf<T>(thread: Thread, plugin: T): Life<T> {
  return {
    plugin,
    get isOver() {
      return thread.isOver;
    },
    close: () => thread.close(),
  };
}

class Thread {
  readonly #options: ModuleOptions;
  readonly #worker: Worker;
  readonly #ready = Promise.withResolvers<{ offers: readonly Offer[]; methods: readonly string[] }>();
  readonly #ended = Promise.withResolvers<void>();
  /** Questions without an answer; bounded by the calls under way. */
  readonly #open = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>();
  #next = 1;
  #why = "its thread ended";
  isOver = false;

  constructor(options: ModuleOptions, plugin: Offer | undefined) {
    this.#options = options;
    const { module, namespace, kubeconfig, log, clock } = options;
    const data: ThreadData = {
      module: addressOf(module),
      namespace,
      ...(plugin !== undefined && { plugin }),
      ...(kubeconfig !== undefined && { kubeconfig }),
    };
    // The sources run as they are; what was built has another ending.
    const file = import.meta.url.endsWith(".ts") ? "./thread.ts" : "./thread.js";
    this.#worker = new Worker(new URL(file, import.meta.url), {
      workerData: data,
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    const tap = new LogTap({ plugin: plugin?.name ?? module, log, clock });
    this.#worker.stdout.on("data", (chunk: Uint8Array) => tap.write(chunk));
    this.#worker.stderr.on("data", (chunk: Uint8Array) => tap.write(chunk));
    this.#ready.promise.catch(() => undefined); // whoever asks hears of it
    this.#worker.on("message", (said: Say) => this.#heard(said, tap));
    this.#worker.on("error", (error) => {
      this.#why = messageOf(error);
    });
    this.#worker.on("exit", () => this.#over());
  }

  ready(signal: AbortSignal) {
    const { clock, startMs, module } = this.#options;
    const what = `starting plugin module "${module}"`;
    return within({ clock, limitMs: startMs, what }, () => this.#ready.promise, signal);
  }

  ask(method: string, args: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    if (this.isOver) return Promise.reject(this.#died());
    const id = this.#next++;
    const { promise, resolve: done, reject } = Promise.withResolvers<unknown>();
    this.#open.set(id, { resolve: done, reject });
    const cancel = () => {
      this.#worker.postMessage({ cancel: id } satisfies Ask);
      this.#open.delete(id);
      reject(signal.reason);
    };
    signal.addEventListener("abort", cancel, { once: true });
    try {
      this.#worker.postMessage({ id, method, args } satisfies Ask);
    } catch (error) {
      reject(error); // something that cannot be sent to a thread
    }
    return promise.finally(() => {
      this.#open.delete(id);
      signal.removeEventListener("abort", cancel);
    });
  }

  async close(): Promise<void> {
    this.#why = "it was closed";
    await this.#worker.terminate();
    await this.#ended.promise;
  }

  #heard(said: Say, tap: LogTap): void {
    if ("ready" in said) this.#ready.resolve(said.ready);
    else if ("unready" in said) {
      const message = `plugin module "${this.#options.module}" cannot be used: ${said.unready}`;
      this.#ready.reject(new AppError("PLUGIN_FAILED", message, { retry: false }));
    } else if ("log" in said) tap.write(`${JSON.stringify({ level: said.log, msg: said.message })}\n`);
    else if ("error" in said) this.#open.get(said.id)?.reject(new Error(said.error));
    else this.#open.get(said.id)?.resolve(said.value);
  }

  #over(): void {
    this.isOver = true;
    const error = this.#died();
    this.#ready.reject(error);
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
    this.#ended.resolve();
  }

  #died(): AppError {
    const message = `plugin module "${this.#options.module}" died: ${this.#why}`;
    return new AppError("PLUGIN_FAILED", message, { cause: { code: 14 } }); // as gRPC says that nobody is there
  }
}

function proxy(thread: Thread, has: readonly string[]): Readonly<Record<string, unknown>> {
  const call =
    (method: string) =>
    (...given: unknown[]) => {
      const signal = given.at(-1) as AbortSignal; // the last argument of every method
      return thread.ask(method, given.slice(0, -1), signal); // what comes back is checked by its caller
    };
  return Object.fromEntries(has.map((one) => [one, call(one)]));
}

/** What `import()` understands, wherever the thread's own file is. */
function addressOf(module: string): string {
  if (isAbsolute(module) || module.startsWith(".") || /\.[cm]?[jt]s$/.test(module)) {
    return pathToFileURL(resolve(module)).href;
  }
  try {
    return pathToFileURL(createRequire(join(process.cwd(), "package.json")).resolve(module)).href;
  } catch {
    return module; // perhaps a package of our own folder; if not, the thread says so
  }
}
