import { AppError } from "../../errors.ts";
import type { Clock } from "../../kube/index.ts";
import { isGone, within } from "../guard.ts";
import { type Life, Lives } from "../revive.ts";
import type { ActionCalls, ActionKind } from "./calls.ts";
import type { ActionSelector } from "./contract.ts";
import { programAction, type UnaryConnection } from "./program-actions.ts";
import { Slots } from "./slots.ts";

/** An item action that can be called; its plugin is started by the first call. */
export interface OpenedAction {
  readonly name: string;
  readonly kind: ActionKind;
  readonly selector: ActionSelector;
  readonly calls: ActionCalls;
}

/** The item actions of one run, in the order in which they are called. */
export interface OpenedActions {
  readonly all: readonly OpenedAction[];
  /** Ends every plugin that was started. */
  readonly close: () => Promise<void>;
}

/** An item action as it was found. */
export interface FoundAction {
  readonly kind: ActionKind;
  readonly name: string;
  readonly source: "module" | "program";
  readonly path: string;
  /** Absent when the plugin did not say when it was listed. */
  readonly selector?: ActionSelector | undefined;
}

/** How plugins of actions are started, and how long they may take. */
export interface ActionHost {
  startProgram(path: string, signal: AbortSignal): Promise<Life<UnaryConnection>>;
  startModule(action: FoundAction, signal: AbortSignal): Promise<Life<ActionCalls>>;
  readonly clock: Clock;
  /** Execute, which may copy images: the protocol has no limit at all. */
  readonly executeMs: number;
  /** Everything else. */
  readonly askMs: number;
  /** Calls to one plugin at a time. */
  readonly width: number;
}

/** Opens actions. What dies is started again for the next call; the calls that it took along have failed. */
export async function openActions(
  found: readonly FoundAction[],
  host: ActionHost,
  signal: AbortSignal,
): Promise<OpenedActions> {
  const wanted = withoutDoubles(found);
  const sources: Lives<unknown>[] = [];
  const calls = new Map<FoundAction, ActionCalls>();
  const add = <T>(name: string, start: () => Promise<Life<T>>) => {
    const lives = new Lives(name, start);
    sources.push(lives as Lives<unknown>); // only to be closed
    return () => lives.now(signal);
  };
  const programs = Map.groupBy(
    wanted.filter(({ source }) => source === "program"),
    ({ path }) => path,
  );
  for (const [path, some] of programs) {
    const slots = new Slots(host.width);
    const connection = add(path, () => startedProgram(path, some, host, signal));
    for (const one of some) {
      calls.set(one, guardedAction(one.name, programAction(one.kind, one.name, connection), host, slots));
    }
  }
  for (const one of wanted.filter(({ source }) => source === "module")) {
    const now = add(one.name, () => host.startModule(one, signal));
    calls.set(one, guardedAction(one.name, revived(now), host, new Slots(host.width)));
  }
  const close = async () => {
    await Promise.all(sources.map((one) => one.close()));
  };
  try {
    return { all: await withSelectors(wanted, calls, signal), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The framework of Go makes an action when it is first named, without a lock: each is named once before calls run side by side. */
async function startedProgram(
  path: string,
  actions: readonly FoundAction[],
  host: ActionHost,
  signal: AbortSignal,
): Promise<Life<UnaryConnection>> {
  const life = await host.startProgram(path, signal);
  try {
    for (const { kind, name } of actions) {
      const action = programAction(kind, name, async () => life.plugin);
      const what = { clock: host.clock, limitMs: host.askMs, what: `appliesTo of plugin "${name}"` };
      await within(what, (inner) => action.appliesTo(inner), signal);
    }
    return life;
  } catch (error) {
    await life.close();
    throw error;
  }
}

async function withSelectors(
  wanted: readonly FoundAction[],
  calls: ReadonlyMap<FoundAction, ActionCalls>,
  signal: AbortSignal,
): Promise<OpenedAction[]> {
  const opened: OpenedAction[] = [];
  for (const one of wanted) {
    const its = calls.get(one);
    if (!its) continue;
    const selector = one.selector ?? (await its.appliesTo(signal));
    opened.push({ name: one.name, kind: one.kind, selector, calls: its });
  }
  return opened;
}

/** An action that exists in both versions is called in the newer one; one that two files offer is refused. */
function withoutDoubles(found: readonly FoundAction[]): readonly FoundAction[] {
  for (const one of found) {
    const twin = found.find(
      ({ kind, name, path }) => kind === one.kind && name === one.name && path !== one.path,
    );
    if (!twin) continue;
    const message = `${one.kind} "${one.name}" is offered by "${one.path}" and "${twin.path}"`;
    throw new AppError("PLUGIN_DUPLICATE", message, { retry: false });
  }
  return found.filter(
    ({ kind, name }) => !found.some((other) => other.name === name && other.kind === `${kind}V2`),
  );
}

function revived(now: () => Promise<ActionCalls>): ActionCalls {
  return {
    appliesTo: async (signal) => (await now()).appliesTo(signal),
    execute: async (input, signal) => (await now()).execute(input, signal),
    getRelatedItems: async (input, signal) => (await now()).getRelatedItems(input, signal),
    progress: async (id, owner, signal) => (await now()).progress(id, owner, signal),
    cancel: async (id, owner, signal) => (await now()).cancel(id, owner, signal),
    areAdditionalItemsReady: async (items, owner, signal) =>
      (await now()).areAdditionalItemsReady(items, owner, signal),
  };
}

/** Calls that end in time, with errors that name the plugin, and not too many of them at a time. */
function guardedAction(name: string, calls: ActionCalls, host: ActionHost, slots: Slots): ActionCalls {
  const { clock, executeMs, askMs } = host;
  const call = async <T>(
    what: string,
    limitMs: number,
    work: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> => {
    const once = () => within({ clock, limitMs, what: `${what} of plugin "${name}"` }, work, signal);
    let wasBeside = false;
    try {
      return await slots.run((one) =>
        once().finally(() => {
          ({ wasBeside } = one);
        }),
      );
    } catch (error) {
      // A plugin that dies takes the calls beside the guilty one along: each is tried once more, by itself.
      if (!wasBeside || !isGone(error)) throw error;
      return slots.runAlone(once);
    }
  };
  return {
    appliesTo: (signal) => call("appliesTo", askMs, (inner) => calls.appliesTo(inner), signal),
    execute: (input, signal) => call("execute", executeMs, (inner) => calls.execute(input, inner), signal),
    getRelatedItems: (input, signal) =>
      call("getRelatedItems", executeMs, (inner) => calls.getRelatedItems(input, inner), signal),
    progress: (id, owner, signal) =>
      call("progress", askMs, (inner) => calls.progress(id, owner, inner), signal),
    cancel: (id, owner, signal) => call("cancel", askMs, (inner) => calls.cancel(id, owner, inner), signal),
    areAdditionalItemsReady: (items, owner, signal) =>
      call(
        "areAdditionalItemsReady",
        askMs,
        (inner) => calls.areAdditionalItemsReady(items, owner, inner),
        signal,
      ),
  };
}
