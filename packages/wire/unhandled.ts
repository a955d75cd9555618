/** What a guard needs of a process; `process` is one. */
export interface Host {
  on(event: "unhandledRejection" | "uncaughtException", listener: (error: unknown) => void): unknown;
  off(event: "unhandledRejection" | "uncaughtException", listener: (error: unknown) => void): unknown;
  exit(code: number): void;
}

/** Watches over a process until it is closed. */
export interface ProcessGuard {
  /** Fires with the caller's signal, or after an exception that nobody caught. */
  readonly signal: AbortSignal;
  /** Whether an exception that nobody caught ended the run. */
  readonly failed: () => boolean;
  readonly close: () => void;
}

type Log = (level: "error", message: string, fields: Readonly<Record<string, unknown>>) => void;

/** How long the run may take to put things in order after an exception that nobody caught. */
const orderlyMs = 15_000;

/** Errors of this process that nobody handled. One count for all, as there is one process. */
const counts = { rejection: 0, exception: 0 };

/** How many there were, for metrics. */
export function unhandledErrors(): Readonly<typeof counts> {
  return counts;
}

/**
 * Logs, counts and survives promises that nobody awaited; logs and counts exceptions that nobody caught, and ends the run in order.
 *
 * A rejection has ended the one piece of work that made it. An exception has left a callback half done, whose data may be
 * half written: the run ends as it does on SIGTERM, its lease is free at once, and whoever started it starts it again.
 */
export function guardProcess(host: Host, log: Log, signal: AbortSignal): ProcessGuard {
  const broken = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onRejection = (error: unknown) => {
    counts.rejection += 1;
    log("error", "unhandled rejection", fieldsOf(error));
  };
  const onException = (error: unknown) => {
    counts.exception += 1;
    log("error", "uncaught exception", fieldsOf(error));
    timer ??= setTimeout(() => host.exit(1), orderlyMs);
    timer.unref();
    broken.abort();
  };
  host.on("unhandledRejection", onRejection);
  host.on("uncaughtException", onException);
  return {
    signal: AbortSignal.any([signal, broken.signal]),
    failed: () => broken.signal.aborted,
    close() {
      host.off("unhandledRejection", onRejection);
      host.off("uncaughtException", onException);
    },
  };
}

function fieldsOf(error: unknown): Readonly<Record<string, unknown>> {
  return error instanceof Error ? { error: error.message, stack: error.stack } : { error: String(error) };
}
