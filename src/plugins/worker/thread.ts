import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../../errors.ts";
import { type ModuleAction, moduleAction } from "../actions/module-action.ts";
import type { PluginContext } from "../contract.ts";
import {
  type Ask,
  actionMethods,
  type ModuleKind,
  moduleExports,
  type Offer,
  type Say,
  snapshotterMethods,
  type ThreadData,
} from "./protocol.ts";

/** Calls under way, so that one can be given up; bounded by the calls that the other side waits for. */
const running = new Map<number, AbortController>();

type Factory = (context: PluginContext) => unknown;
type Methods = Readonly<Record<string, unknown>>;

async function open(port: MessagePort, data: ThreadData): Promise<void> {
  const say = (said: Say) => port.postMessage(said);
  try {
    const module = (await import(data.module)) as Readonly<Record<string, unknown>>; // a namespace object
    const kinds = Object.keys(moduleExports) as ModuleKind[]; // the table's own keys
    const offers = kinds.flatMap((kind) => namesOf(module, kind).map((name): Offer => ({ kind, name })));
    const lists = kinds.map((kind) => moduleExports[kind]);
    if (!lists.some((name) => isObject(module[name]))) return say({ unready: "it exports no snapshotters" });
    if (data.plugin === undefined) return say({ ready: { offers, methods: [] } });
    const { kind, name } = data.plugin;
    const factory = namesOf(module, kind).includes(name)
      ? (module[moduleExports[kind]] as Readonly<Record<string, unknown>>)[name] // it is among its names
      : undefined;
    if (typeof factory !== "function") return say({ unready: `it has no plugin "${name}"` });
    const made = await (factory as Factory)({
      name,
      namespace: data.namespace,
      ...(data.kubeconfig !== undefined && { kubeconfig: data.kubeconfig }),
      log: (level, message) => say({ log: level, message }),
    });
    const plugin = (
      kind === "VolumeSnapshotter" ? made : moduleAction(kind, made as ModuleAction)
    ) as Methods; // its methods are looked for
    port.on("message", (ask: Ask) => void answer(plugin, ask, say));
    const wanted = kind === "VolumeSnapshotter" ? snapshotterMethods : actionMethods;
    const methods = wanted.filter((method) => typeof plugin[method] === "function");
    say({ ready: { offers, methods } });
  } catch (error) {
    say({ unready: messageOf(error) });
  }
}

function namesOf(module: Readonly<Record<string, unknown>>, kind: ModuleKind): string[] {
  const list = module[moduleExports[kind]];
  return isObject(list) ? Object.keys(list) : [];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

async function answer(plugin: Methods, ask: Ask, say: (said: Say) => void): Promise<void> {
  if ("cancel" in ask) return running.get(ask.cancel)?.abort();
  const stop = new AbortController();
  running.set(ask.id, stop);
  try {
    const method = plugin[ask.method] as (...args: unknown[]) => unknown; // the other side asks for known ones
    say({ id: ask.id, value: await method.call(plugin, ...ask.args, stop.signal) });
  } catch (error) {
    say({ id: ask.id, error: messageOf(error) });
  } finally {
    running.delete(ask.id);
  }
}

if (parentPort) await open(parentPort, workerData as ThreadData); // the host starts it with that
