import { type Frame, type Observer, openClusterView } from "../../observe/index.ts";
import { isTerminal, type Operation, summary } from "../../progress/index.ts";
import { openCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import { interruptCode } from "../interrupt.ts";
import type { Io } from "../io.ts";
import { jsonView, liveView, notesOf, type OperationsView, tenthsView } from "../render/operations-view.ts";
import type { Browsing } from "./browse.ts";
import { browse } from "./browser.ts";
import { demand, Following } from "./follow.ts";
import { watchPulse } from "./pulse.ts";
import { readTarget } from "./target.ts";

/**
 * Follows operations until they have ended or the person stops; returns the exit code. Without a terminal it is one JSON object a line, or
 * with `lines` words on standard error.
 */
export async function runWatch(
  input: Input,
  io: Io,
  signal: AbortSignal,
  piped: "json" | "lines" = "json",
): Promise<number> {
  const cluster = await openCluster(input, io);
  const { client } = cluster;
  const namespace = text(input, "namespace");
  const targets = input.args.map((arg) => readTarget(arg, namespace));
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const { observer, run } = openClusterView({ client, namespace, serverNamespace: cluster.namespace });
  const running = run(either);
  const live = text(input, "output") === "json" ? undefined : io.terminal;
  const say = (text: string) => (live ? io.out(text) : io.err(text));
  const view = live ? liveView(io, live) : piped === "json" ? jsonView(io) : tenthsView({ ...io, out: say });
  const following = new Following(targets);
  let pulsing: Promise<void> | undefined;
  try {
    // An unreachable cluster is told at once; later outages are waited out by the informers.
    await client.version(either);
    await observer.synced(either);
    const wait = given(input, "wait");
    const quit = new Promise<number>((resolve) => {
      if (!live || piped !== "json") return;
      const onChange = (browsing: Browsing) => view.browse?.(browsing);
      const log = (line: string) => view.log(line);
      browse({ io, client, shown: following.shown, onChange, log, quit: () => resolve(0) }, either);
    });
    pulsing = watchPulse(client, (pulse) => view.pulse(pulse), either);
    const ended = followUntilEnd(observer, following, view, () => wait || demand(following), either);
    return await Promise.race([ended, quit]);
  } catch (error) {
    if (signal.aborted) return interruptCode(signal);
    throw error;
  } finally {
    view.end();
    if (live || piped === "lines") for (const line of endings(following)) say(`${line}\n`);
    stop.abort();
    await Promise.all([running, pulsing]);
    client.close();
  }
}

/** Feeds a view with every change until what is followed has ended; the exit code. `begun` is called after the first look. */
export function followUntilEnd(
  observer: Pick<Observer, "subscribe" | "operations">,
  following: Following,
  view: OperationsView,
  begun: () => void,
  signal: AbortSignal,
): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    const take = (frame: Frame) => {
      try {
        feed(following, view, frame);
      } catch (error) {
        return reject(error);
      }
      if (following.exitCode !== undefined) resolve(following.exitCode);
    };
    const leave = observer.subscribe(take);
    signal.addEventListener("abort", () => (leave(), resolve(interruptCode(signal))), { once: true });
    for (const operation of observer.operations()) take({ id: operation.id, operation });
    begun();
  });
}

function feed(following: Following, view: OperationsView, frame: Frame): void {
  const before = following.shown.get(frame.id);
  const isShown = following.take(frame);
  const { operation } = frame;
  if (!isShown) return;
  if (!operation) return view.gone(frame.id);
  view.show(following.shown, operation);
  for (const note of notesOf(before, operation, Date.now())) view.log(note);
  if (!following.hasTargets && isTerminal(operation.state)) {
    // Nobody asked for it by name: its end is told above, and the trees are for what runs.
    view.log(summary(operation));
    following.shown.delete(frame.id);
  }
}

function endings({ hasTargets, shown }: Following): string[] {
  if (!hasTargets) return [];
  return [...shown.values()].map((operation: Operation) =>
    isTerminal(operation.state) ? summary(operation) : `${operation.title} goes on`,
  );
}
