import { findKind, type KubeObject } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { cancelPatch, type RootName, rootKinds } from "../../kinds/index.ts";
import { builtIn, type Client, resourceOf } from "../../kube/index.ts";
import type { Operation } from "../../progress/index.ts";
import type { Io } from "../io.ts";
import { type Browsing, keysOf, listed, press, untouched, type Wish } from "./browse.ts";

/** What keys change. */
export interface BrowserOptions {
  readonly io: Io;
  readonly client: Pick<Client, "patch" | "list">;
  readonly shown: ReadonlyMap<string, Operation>;
  /** The screen must be drawn anew. */
  readonly onChange: (browsing: Browsing) => void;
  readonly log: (line: string) => void;
  readonly quit: () => void;
}

type Event = KubeObject & {
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string;
};

/** Of an object's events so many are shown. */
const mostEvents = 10;

/** Takes keys until the signal fires; without a keyboard nothing happens. */
export function browse(
  { io, client, shown, onChange, log, quit }: BrowserOptions,
  signal: AbortSignal,
): void {
  if (!io.keys) return;
  let browsing = untouched;
  const fulfil = async (wish: Wish) => {
    if (wish.do === "quit") return quit();
    if (wish.do === "interrupt") return io.keys?.interrupt();
    const operation = shown.get(wish.id);
    if (!operation) return;
    try {
      if (wish.do === "cancel") log(await cancel(client, operation, signal));
      else for (const line of await eventLines(client, operation, signal)) log(line);
    } catch (error) {
      if (!signal.aborted) log(`${operation.title}: ${messageOf(error)}`);
    }
  };
  const leave = io.keys.listen((sent) => {
    for (const key of keysOf(sent)) {
      const ids = listed(shown, browsing.filter, Date.now()).map(({ id }) => id);
      const { browsing: next, wish } = press(browsing, key, ids);
      browsing = next;
      onChange(browsing);
      if (wish) void fulfil(wish);
    }
  });
  signal.addEventListener("abort", leave, { once: true });
}

async function cancel(
  client: Pick<Client, "patch">,
  { ref, title }: Operation,
  signal: AbortSignal,
): Promise<string> {
  const kind = findKind(ref.apiVersion, ref.kind);
  const name = rootKinds.find((one): one is RootName => one === ref.kind);
  if (!kind || name === undefined) return `${title} cannot be canceled`;
  const patch = { type: "merge", body: cancelPatch(name) } as const;
  await client.patch(resourceOf(kind), ref.name, patch, { namespace: ref.namespace }, signal);
  return `${title}: its end was asked for`;
}

/** The events of its object, in few lines; its whole log is for a command of its own. */
async function eventLines(
  client: Pick<Client, "list">,
  { ref, title }: Operation,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const query = { namespace: ref.namespace, fieldSelector: `involvedObject.name=${ref.name}` };
  const items = await client.list<Event>(builtIn.events, query, signal);
  const own = items
    .filter((event) => ref.uid === undefined || uidOf(event) === ref.uid)
    .toSorted((a, b) => (a.lastTimestamp ?? "").localeCompare(b.lastTimestamp ?? ""))
    .slice(-mostEvents);
  const noun = ref.kind === "Restore" ? "restore" : "backup";
  const where = noun === ref.kind.toLowerCase() ? `; its log: headway ${noun} logs ${ref.name} -f` : "";
  return [
    `${title}: ${own.length === 0 ? "no events yet" : "the last events"}${where}`,
    ...own.map(
      ({ lastTimestamp = "", reason = "", message = "" }) =>
        `  ${lastTimestamp.slice(11, 19)} ${reason}: ${message}`,
    ),
  ];
}

function uidOf(event: Event): string | undefined {
  const { involvedObject } = event as { readonly involvedObject?: { readonly uid?: string } };
  return involvedObject?.uid;
}
