import type { Frame } from "../observe/index.ts";
import { EventReader, type StreamEvent } from "./sse.ts";

/** How the page is connected. */
export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /** The numbers are as old as `since` (epoch ms of this browser). */
  | { readonly state: "interrupted"; readonly since: number }
  | { readonly state: "refused"; readonly why: string };

/** Who is told what the stream says. */
export interface Listener {
  readonly token: string | undefined;
  /** Everything that is known is void: the present state follows. */
  reset(): void;
  frames(frames: readonly Frame[]): void;
  connection(connection: Connection): void;
  /** What to add to this browser's clock to have the server's, in ms. */
  clock(offsetMs: number): void;
}

/** The server pings every 15 s: so long a silence is a broken connection that nobody noticed. */
const silenceMs = 40_000;
const retryMs = [500, 1_000, 2_000, 5_000] as const;

/** Follows the stream until the signal fires; comes back by itself, from where it was. */
export async function follow(listener: Listener, signal: AbortSignal): Promise<void> {
  let last: string | undefined;
  let failures = 0;
  let heardAt = Date.now();
  listener.connection({ state: "connecting" });
  while (!signal.aborted) {
    try {
      const refused = await once(listener, last, signal, (event) => {
        heardAt = Date.now();
        failures = 0;
        last = event?.id ?? last;
      });
      if (refused !== undefined) return listener.connection({ state: "refused", why: refused });
    } catch {
      // Whatever broke it, the answer is to come back; the person sees since when the numbers are old.
    }
    if (signal.aborted) return;
    listener.connection({ state: "interrupted", since: heardAt });
    await pause(retryMs[Math.min(failures, retryMs.length - 1)] ?? 1_000, signal);
    failures += 1;
  }
}

/** One connection, until it ends; returns why the server will not have us, if it will not. */
async function once(
  listener: Listener,
  last: string | undefined,
  signal: AbortSignal,
  heard: (event: StreamEvent | undefined) => void,
): Promise<string | undefined> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  const headers = {
    ...(listener.token !== undefined && { authorization: `Bearer ${listener.token}` }),
    ...(last !== undefined && { "last-event-id": last }),
  };
  try {
    const either = AbortSignal.any([signal, silence.signal]);
    const response = await fetch("/api/stream", { headers, signal: either, cache: "no-store" });
    if (response.status === 401 || response.status === 403) return await reasonOf(response);
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
    const date = Date.parse(response.headers.get("date") ?? "");
    if (!Number.isNaN(date)) listener.clock(date - Date.now());
    listener.connection({ state: "live" });
    const reader = new EventReader();
    const decoder = new TextDecoder();
    for await (const piece of response.body) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
      heard(undefined);
      const events = reader.take(decoder.decode(piece, { stream: true }));
      hand(listener, events);
      for (const event of events) heard(event);
    }
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function hand(listener: Listener, events: readonly StreamEvent[]): void {
  let frames: Frame[] = [];
  for (const { event, data } of events) {
    if (event === "reset") {
      frames = [];
      listener.reset();
    } else if (event === "operation" || event === "gone") {
      frames.push(JSON.parse(data)); // written by our own server
    }
  }
  if (frames.length > 0) listener.frames(frames);
}

async function reasonOf(response: Response): Promise<string> {
  try {
    const body: { error?: { message?: string } } = await response.json();
    return body.error?.message ?? `HTTP ${response.status}`;
  } catch {
    return `HTTP ${response.status}`;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
