import { tmpdir } from "node:os";
import { type BackupDefaults, backupDefaults, type Log } from "../engines/backup/index.ts";
import { AppError } from "../errors.ts";
import { type Client, type Clock, StatusWriter, systemClock } from "../kube/index.ts";
import type { Observation } from "../progress/index.ts";
import type { OperatorDeps, Registration } from "./deps.ts";
import { storeOpener } from "./open-store.ts";
import { registrations } from "./registrations.ts";
import { runInPods } from "./run-in-pods.ts";

/** How an operator is run. */
export interface OperatorOptions {
  readonly client: Client;
  readonly namespace: string;
  /** Names of the controllers to run; all when absent. */
  readonly controllers?: readonly string[] | undefined;
  readonly log: Log;
  readonly report?: ((seen: Observation) => void) | undefined;
  readonly clock?: Clock;
  readonly tempDir?: string | undefined;
  readonly serverVersion?: string;
  readonly backupDefaults?: Partial<BackupDefaults>;
  readonly concurrentBackups?: number | undefined;
  /** More controllers than the program's own, for tests. */
  readonly extra?: readonly Registration[];
}

/** Names of all controllers, for help texts. */
export const controllerNames: readonly string[] = registrations.map(({ name }) => name);

/** Runs the controllers until the signal fires; one that fails ends the others and is told. */
export async function startOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const chosen = choose([...registrations, ...(options.extra ?? [])], options.controllers);
  const status = new StatusWriter({
    client: options.client,
    onDrop: (target, error) =>
      options.log("error", `a status of ${target.name} cannot be written`, { error }),
  });
  const deps = depsOf(options, status);
  const failed = new AbortController();
  const both = AbortSignal.any([signal, failed.signal]);
  try {
    await Promise.all(
      chosen.map(async (one) => {
        try {
          await one.start(deps, both);
        } catch (error) {
          if (both.aborted) return;
          failed.abort();
          throw new AppError("OPERATOR_FAILED", `controller "${one.name}" stopped: ${words(error)}`, {
            cause: error,
          });
        }
      }),
    );
  } finally {
    await status.flush(AbortSignal.timeout(5_000)).catch(() => undefined); // what is lost is found again by the next start
    status.close();
  }
}

/** The registrations that `--controllers` asks for. */
export function choose(
  all: readonly Registration[],
  names: readonly string[] | undefined,
): readonly Registration[] {
  if (names === undefined || names.length === 0) return all;
  const odd = names.find((name) => !all.some((one) => one.name === name));
  if (odd !== undefined) {
    const known = all.map(({ name }) => name).join(", ");
    throw new AppError("USAGE", `there is no controller "${odd}"; there are ${known}`, { retry: false });
  }
  return all.filter(({ name }) => names.includes(name));
}

function depsOf(options: OperatorOptions, status: StatusWriter): OperatorDeps {
  return {
    client: options.client,
    namespace: options.namespace,
    clock: options.clock ?? systemClock,
    log: options.log,
    status,
    report: options.report ?? (() => undefined),
    openStore: storeOpener(options.client),
    runInPod: runInPods(options.client),
    tempDir: options.tempDir ?? tmpdir(),
    serverVersion: options.serverVersion ?? "v1.18.0-headway",
    backupDefaults: { ...backupDefaults, ...options.backupDefaults },
    concurrentBackups: options.concurrentBackups ?? 1,
  };
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
