import { Observer } from "../../observe/index.ts";
import type { Operation } from "../../progress/index.ts";
import { openCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { LiveView } from "../render/live.ts";
import { treeLines } from "../render/tree.ts";
import { demand, type Following, follow } from "./follow.ts";
import { readTarget } from "./target.ts";

/** Follows operations until they have ended or the person stops; returns the exit code. */
export async function runWatch(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const { client } = await openCluster(input, io);
  const namespace = text(input, "namespace");
  const targets = input.args.map((arg) => readTarget(arg, namespace));
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const observer = new Observer({ client, namespace });
  const running = observer.run(either);
  const live = io.terminal !== undefined && text(input, "output") !== "json";
  const view = live ? liveView(io) : lineView(io);
  try {
    // An unreachable cluster is told at once; later outages are waited out by the informers.
    await client.version(either);
    await observer.synced(either);
    return await untilEnd(observer, targets, given(input, "wait"), view, either);
  } catch (error) {
    if (signal.aborted) return 0;
    throw error;
  } finally {
    view.end();
    stop.abort();
    await running;
  }
}

interface View {
  show(following: Following): void;
  end(): void;
}

function untilEnd(
  observer: Observer,
  targets: ReturnType<typeof readTarget>[],
  waitForThem: boolean,
  view: View,
  signal: AbortSignal,
): Promise<number> {
  let following: Following = { shown: new Map(), exitCode: undefined };
  return new Promise<number>((resolve, reject) => {
    const take = (frame: { readonly id: string; readonly operation?: Operation }) => {
      try {
        following = follow(targets, following, frame);
        view.show(following);
      } catch (error) {
        return reject(error);
      }
      if (following.exitCode !== undefined) resolve(following.exitCode);
    };
    const leave = observer.subscribe(take);
    signal.addEventListener("abort", () => (leave(), resolve(0)), { once: true });
    for (const operation of observer.operations()) take({ id: operation.id, operation });
    if (!waitForThem) demand(targets, following);
  });
}

/** A tree that is drawn again in place. */
function liveView(io: Io): View {
  const columns = io.terminal?.columns ?? 80;
  const rows = io.terminal?.rows ?? 24;
  const view = new LiveView({ write: (part) => io.out(part), size: () => ({ columns, rows }) });
  return {
    show({ shown }) {
      const operations = [...shown.values()];
      view.update(() => {
        const each = Math.max(1, Math.floor((rows - 1) / Math.max(1, operations.length)));
        const lines = operations.flatMap((operation) =>
          treeLines(operation, Date.now(), { columns, color: io.color, rows: each }),
        );
        return lines.length > 0 ? lines : ["nothing is running; waiting (Ctrl-C to stop)"];
      });
    },
    end: () => view.end(),
  };
}

/** One JSON line for each operation that changed. */
function lineView(io: Io): View {
  const printed = new Map<string, Operation>();
  return {
    show({ shown }) {
      for (const [id, operation] of shown) {
        if (printed.get(id) === operation) continue;
        printed.set(id, operation);
        io.out(`${JSON.stringify({ time: new Date().toISOString(), operation })}\n`);
      }
    },
    end() {},
  };
}
