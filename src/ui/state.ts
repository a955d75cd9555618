import { useSyncExternalStore } from "react";
import type { Frame } from "../observe/index.ts";
import { type Meter, measure, type Operation } from "../progress/index.ts";
import { type Connection, follow } from "./stream.ts";

/** What the page knows at one moment. */
export interface Known {
  /** By id, `kind/namespace/name`. */
  readonly operations: ReadonlyMap<string, Operation>;
  readonly meters: ReadonlyMap<string, Meter>;
  readonly connection: Connection;
  /** Whether the first picture of the cluster is complete. */
  readonly isLoaded: boolean;
}

/** The page is drawn at most so often, however fast frames arrive. */
const drawEveryMs = 200;

/** Everything that the stream told, and the server's clock. Bounded by the operations of the cluster. */
class Store {
  readonly #operations = new Map<string, Operation>();
  readonly #meters = new Map<string, Meter>();
  readonly #listeners = new Set<() => void>();
  #connection: Connection = { state: "connecting" };
  #isLoaded = false;
  #offsetMs = 0;
  #known: Known = this.#picture();
  #drawnAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Follows the server until the signal fires. */
  run(token: string | undefined, signal: AbortSignal): Promise<void> {
    return follow(
      {
        token,
        reset: () => this.#reset(),
        frames: (frames) => this.#take(frames),
        connection: (connection) => this.#connect(connection),
        clock: (offsetMs) => {
          // The header has whole seconds: less than two is no difference that anybody could tell.
          this.#offsetMs = Math.abs(offsetMs) < 2_000 ? 0 : offsetMs;
        },
      },
      signal,
    );
  }

  /** The server's clock, epoch ms; while the stream is cut, the moment to which the numbers belong. */
  now = (): number => {
    const here = this.#connection.state === "interrupted" ? this.#connection.since : Date.now();
    return here + this.#offsetMs;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly known = (): Known => this.#known;

  #reset(): void {
    this.#operations.clear();
    this.#meters.clear();
    // A cluster without operations sends nothing more.
    setTimeout(() => this.#loaded(), 300);
    this.#draw();
  }

  #loaded(): void {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    this.#draw();
  }

  #take(frames: readonly Frame[]): void {
    const now = this.now();
    for (const { id, operation } of frames) {
      const meter = operation && measure(this.#meters.get(id), operation, now);
      if (operation) this.#operations.set(id, operation);
      else this.#operations.delete(id);
      if (meter) this.#meters.set(id, meter);
      else this.#meters.delete(id);
    }
    this.#isLoaded = true;
    this.#draw();
  }

  #connect(connection: Connection): void {
    const before = this.#connection;
    // What is cut stays as old as when it was cut, however often one tries to come back.
    if (before.state === "interrupted" && connection.state === "interrupted") return;
    this.#connection = connection;
    this.#draw();
  }

  #draw(): void {
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#drawnAt + drawEveryMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#drawnAt = performance.now();
      this.#known = this.#picture();
      for (const listener of this.#listeners) listener();
    }, wait);
  }

  #picture(): Known {
    return {
      operations: this.#operations,
      meters: this.#meters,
      connection: this.#connection,
      isLoaded: this.#isLoaded,
    };
  }
}

/** The one store of the page. */
export const store = new Store();

/** What is known, drawn anew when it changes. */
export function useKnown(): Known {
  return useSyncExternalStore(store.subscribe, store.known);
}

const tickers = new Set<() => void>();
let second = 0;
let ticking: ReturnType<typeof setInterval> | undefined;

function tick(listener: () => void): () => void {
  tickers.add(listener);
  ticking ??= setInterval(() => {
    second += 1;
    for (const each of tickers) each();
  }, 1_000);
  return () => {
    tickers.delete(listener);
    if (tickers.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

/** The server's clock, drawn anew each second. */
export function useNow(): number {
  useSyncExternalStore(tick, () => second);
  return store.now();
}
