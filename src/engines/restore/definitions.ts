import { AppError, messageOf } from "../../errors.ts";
import { builtIn, type Clock, patiently, type Resource, sleep } from "../../kube/index.ts";
import type { Item } from "./archive/item-json.ts";
import { hasCondition } from "./put.ts";
import type { RunLog } from "./run-log.ts";
import type { Cluster, Served } from "./served.ts";

const resource: Resource = builtIn.definitions;
const pollMs = 200;
/** A definition that is established and serves nothing is never listed. */
const listedMs = 30_000;

/** Waits until the API server serves the definitions that were just created, then asks it anew what it serves. */
export async function establish(
  definitions: readonly Item[],
  context: { cluster: Cluster; clock: Clock; served: Served; log: RunLog; resourceTimeoutMs: number },
  signal: AbortSignal,
): Promise<void> {
  const { cluster, clock, served, log } = context;
  const until = clock.monotonic() + context.resourceTimeoutMs;
  for (const { metadata } of definitions) {
    try {
      await established(metadata.name, until);
    } catch (error) {
      signal.throwIfAborted();
      log.fail("cluster", messageOf(error));
    }
  }
  const made = definitions.map(({ metadata }) => metadata.name);
  const listedBy = Math.min(until, clock.monotonic() + listedMs);
  for (;;) {
    served.take(await patiently(() => cluster.discover(signal), clock, signal));
    // A definition is established a moment before the server lists its type.
    if (made.every((name) => served.typed(name) !== undefined) || clock.monotonic() >= listedBy) return;
    await sleep(clock, pollMs, signal);
  }

  async function established(name: string, untilMs: number): Promise<void> {
    for (;;) {
      const now = await patiently(() => cluster.get<Item>(resource, name, {}, signal), clock, signal);
      if (hasCondition(now, "Established") && hasCondition(now, "NamesAccepted")) return;
      if (clock.monotonic() >= untilMs) {
        throw new AppError(
          "DEFINITION_NOT_READY",
          `wait for CustomResourceDefinition "${name}": it is not established`,
        );
      }
      await sleep(clock, pollMs, signal);
    }
  }
}
