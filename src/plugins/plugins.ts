import { type Dirent, type Stats, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError, messageOf } from "../errors.ts";
import type { Clock, Log } from "../kube/index.ts";
import type { Store } from "../store/index.ts";
import { type ActionKind, isActionKind } from "./actions/calls.ts";
import type { ActionSelector } from "./actions/contract.ts";
import { type FoundAction, type OpenedActions, openActions } from "./actions/opened-actions.ts";
import { programAction } from "./actions/program-actions.ts";
import type { VolumeSnapshotter } from "./contract.ts";
import { folderPlugin } from "./folder/folder-snapshotter.ts";
import { ProgramStore } from "./goplugin/object-store.ts";
import { Program, type ProgramOptions } from "./goplugin/program.ts";
import { initStore, listOffered, programSnapshotter } from "./goplugin/services.ts";
import { guarded, within } from "./guard.ts";
import { isActionName, pluginNames } from "./names.ts";
import { type Life, Lives, type Revived, revivedSnapshotter } from "./revive.ts";
import { listModule, type ModuleOptions, openModule, openModuleAction } from "./worker/module-host.ts";
import { type ModuleKind } from "./worker/protocol.ts";

/** One plugin that can be used, or a file that cannot. */
export interface PluginInfo {
  /** `VolumeSnapshotter`, `ObjectStore`, or another of the ecosystem's kinds; "" when the file is no plugin. */
  readonly kind: string;
  readonly name: string;
  readonly source: "built in" | "module" | "program";
  /** The file or the package. */
  readonly path?: string;
  /** Of an item action: which items it wants to see, if it said so. */
  readonly selector?: ActionSelector;
  /** Why it cannot be used. */
  readonly fault?: string;
}

/** Where plugins are looked for, and how long they may take. */
export interface PluginsOptions {
  /** Folders with plugin files; one that is not there has none. */
  readonly folders?: readonly string[] | undefined;
  /** Modules by path or package name. */
  readonly modules?: readonly string[] | undefined;
  readonly namespace: string;
  readonly kubeconfig?: string | undefined;
  readonly log: Log;
  readonly clock: Clock;
  readonly startMs?: number;
  readonly callMs?: number;
  readonly askMs?: number;
  /** How long an item action may work on an item. */
  readonly actionMs?: number | undefined;
  /** Calls to the item actions of one plugin at a time. */
  readonly actionCalls?: number | undefined;
}

/** A snapshotter ready for calls. */
export interface OpenedSnapshotter extends Revived<VolumeSnapshotter> {
  /** Its full name. */
  readonly name: string;
}

const snapshotterKind = "VolumeSnapshotter";
const builtIn: PluginInfo = { kind: snapshotterKind, name: folderPlugin, source: "built in" };
/** The module of the plugin that comes with the program. */
const folderModule = join(
  import.meta.dirname,
  "folder",
  import.meta.url.endsWith(".ts") ? "folder-snapshotter.ts" : "folder-snapshotter.js",
);

/** Every plugin of this process: the one that comes with it, modules and programs. */
export class Plugins {
  readonly #options: PluginsOptions;
  /** What each file holds, until it changes; bounded by the files of the plugin folders. */
  readonly #known = new Map<string, readonly PluginInfo[]>();

  constructor(options: PluginsOptions) {
    this.#options = options;
  }

  /** All plugins, and the files among them that are none, with the reason. */
  async list(signal: AbortSignal): Promise<readonly PluginInfo[]> {
    const { modules = [], folders = [] } = this.#options;
    const found = [builtIn];
    for (const module of modules) found.push(...(await this.#module(module, signal)));
    for (const folder of folders) {
      for (const path of await filesBelow(folder)) {
        if (/\.[cm]?[jt]s$/.test(path)) found.push(...(await this.#module(path, signal)));
        else if (isExecutable(path)) found.push(...(await this.#program(path, signal)));
      }
    }
    return found;
  }

  /** Opens the snapshotter that a provider means. */
  async openSnapshotter(
    provider: string,
    config: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<OpenedSnapshotter> {
    const info = await this.#find(snapshotterKind, provider, signal);
    const start = (inner: AbortSignal) => this.#start(info, inner);
    const { clock, callMs = 600_000, askMs = 30_000 } = this.#options;
    const limits = { clock, callMs, askMs };
    const started = async (inner: AbortSignal) => {
      const life = await start(inner);
      const plugin = guarded(info.name, life.plugin, limits);
      return {
        plugin,
        get isOver() {
          return life.isOver;
        },
        close: () => life.close(),
      };
    };
    return { name: info.name, ...(await revivedSnapshotter(info.name, started, config, signal)) };
  }

  /** Opens the object store that a provider means, on one bucket. */
  async openObjectStore(
    provider: string,
    { bucket, config }: { readonly bucket: string; readonly config: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<{ readonly store: Store; readonly close: () => Promise<void> }> {
    const { name, path = "" } = await this.#find("ObjectStore", provider, signal);
    const lives = new Lives(name, async (inner) => {
      const program = await Program.start(this.#programOptions(path), inner);
      try {
        await initStore(program.connection, name, { ...config, bucket }, inner);
        return lifeOf(program, program.connection);
      } catch (error) {
        await program.close();
        throw error;
      }
    });
    await lives.now(signal);
    const store = new ProgramStore({ plugin: name, bucket, connection: (inner) => lives.now(inner) });
    return { store, close: () => lives.close() };
  }

  /** Opens the item actions of some kinds for one run. A plugin of which nothing is called is not started. */
  async openActions(kinds: readonly ActionKind[], signal: AbortSignal): Promise<OpenedActions> {
    const { clock, askMs = 30_000, actionMs = 4 * 3_600_000, actionCalls = 8 } = this.#options;
    const found = (await this.list(signal)).flatMap(({ kind, name, source, path, selector, fault }) =>
      fault === undefined && isActionKind(kind) && kinds.includes(kind) && source !== "built in" && path
        ? [{ kind, name, source, path, selector }]
        : [],
    );
    return openActions(
      found,
      {
        clock,
        askMs,
        executeMs: actionMs,
        width: actionCalls,
        startProgram: async (path, inner) => {
          const program = await Program.start(this.#programOptions(path), inner);
          return lifeOf(program, program.connection);
        },
        startModule: ({ kind, name, path }: FoundAction, inner) =>
          openModuleAction(this.#moduleOptions(path), { kind: kind as ModuleKind, name }, inner), // modules offer those only
      },
      signal,
    );
  }

  async #start(info: PluginInfo, signal: AbortSignal): Promise<Life<VolumeSnapshotter>> {
    if (info.source !== "program" || info.path === undefined) {
      return openModule(this.#moduleOptions(info.path ?? folderModule), info.name, signal);
    }
    const program = await Program.start(this.#programOptions(info.path), signal);
    return lifeOf(program, programSnapshotter(program.connection, info.name));
  }

  async #find(kind: string, provider: string, signal: AbortSignal): Promise<PluginInfo> {
    const all = (await this.list(signal)).filter((one) => one.kind === kind && one.fault === undefined);
    for (const name of pluginNames(provider)) {
      const [first, second] = all.filter((one) => one.name === name);
      if (first && second) {
        const paths = `"${first.path ?? first.source}" and "${second.path ?? second.source}"`;
        throw new AppError("PLUGIN_DUPLICATE", `${kind} "${name}" is offered by ${paths}`, { retry: false });
      }
      if (first) return first;
    }
    const names = all.map(({ name }) => name).join(", ") || "none";
    const builtIn = kind === "ObjectStore" ? 'built in are "aws", "azure", "gcp" and "filesystem", ' : "";
    throw new AppError(
      "PLUGIN_MISSING",
      `there is no ${kind} "${provider}": ${builtIn}plugins offer ${names}`,
      {
        retry: false,
      },
    );
  }

  async #module(module: string, signal: AbortSignal): Promise<readonly PluginInfo[]> {
    return this.#remembered(
      module,
      async () => {
        const offers = await listModule(this.#moduleOptions(module), signal);
        return offers.map((one) => ({ ...one, source: "module", path: module }));
      },
      "module",
      signal,
    );
  }

  async #program(path: string, signal: AbortSignal): Promise<readonly PluginInfo[]> {
    const read = async () => {
      const program = await Program.start(this.#programOptions(path), signal);
      try {
        const offered = await listOffered(program.connection, signal);
        const found: PluginInfo[] = [];
        for (const { kind, name } of offered) {
          const selector = await this.#selector(program, kind, name, signal);
          found.push({ kind, name, source: "program", path, ...selector });
        }
        return found;
      } finally {
        await program.close();
      }
    };
    return this.#remembered(path, read, "program", signal);
  }

  /** Asked while the program runs anyway; what it does not say now is asked when it is needed. */
  async #selector(
    program: Program,
    kind: string,
    name: string,
    signal: AbortSignal,
  ): Promise<Partial<PluginInfo>> {
    if (!isActionKind(kind)) return {};
    if (!isActionName(name)) return { fault: `"${name}" is no name of a plugin, such as example.com/name` };
    const { clock, askMs = 30_000 } = this.#options;
    const action = programAction(kind, name, async () => program.connection);
    const what = { clock, limitMs: askMs, what: `appliesTo of plugin "${name}"` };
    const selector = await within(what, (inner) => action.appliesTo(inner), signal).catch(
      (error: unknown) => {
        this.#options.log("warning", messageOf(error), { plugin: name });
        return undefined;
      },
    );
    return selector ? { selector } : {};
  }

  async #remembered(
    path: string,
    read: () => Promise<readonly PluginInfo[]>,
    source: PluginInfo["source"],
    signal: AbortSignal,
  ): Promise<readonly PluginInfo[]> {
    const version = versionOf(path);
    const known = this.#known.get(version);
    if (known) return known;
    let found: readonly PluginInfo[];
    try {
      found = await read();
    } catch (error) {
      signal.throwIfAborted();
      const fault = messageOf(error);
      this.#options.log("warning", `"${path}" is no plugin that can be used`, { error: fault });
      found = [{ kind: "", name: "", source, path, fault }];
    }
    for (const key of this.#known.keys()) if (key.startsWith(`${path}\n`)) this.#known.delete(key);
    this.#known.set(version, found);
    return found;
  }

  #programOptions(path: string): ProgramOptions {
    const { log, clock, startMs = 60_000 } = this.#options;
    return { path, log, clock, startMs };
  }

  #moduleOptions(module: string): ModuleOptions {
    const { namespace, kubeconfig, log, clock, startMs = 60_000 } = this.#options;
    return { module, namespace, kubeconfig, log, clock, startMs };
  }
}

function lifeOf<T>(program: Program, plugin: T): Life<T> {
  return {
    plugin,
    get isOver() {
      return program.isOver;
    },
    close: () => program.close(),
  };
}

function isExecutable(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0;
}

/** A file by what changes when it is replaced; a package by its name. */
function versionOf(path: string): string {
  const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  return stats ? `${path}\n${stats.size}\n${stats.mtimeMs}` : `${path}\n`;
}

/** Regular files below a folder, in a fixed order. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true, recursive: true }).catch(
    (error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    },
  );
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
